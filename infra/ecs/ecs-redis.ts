import { ParameterGroup } from '@pulumi/aws/elasticache/parameterGroup.js';
import { ReplicationGroup } from '@pulumi/aws/elasticache/replicationGroup.js';
import { SubnetGroup } from '@pulumi/aws/elasticache/subnetGroup.js';
import { interpolate, type Output, secret } from '@pulumi/pulumi';
import type { EcsPlace } from './ecs-place.ts';

const NODE = 'cache.r7g.large';
const NODES = 2;
const SNAPSHOT_DAYS = 7;

interface Given {
  place: EcsPlace;
  subnetIds: Output<string[]>;
  securityGroupId: Output<string>;
  token: Output<string>;
  destroyData: boolean;
}

/**
 * Valkey with a replica in another zone, encrypted on its way and at rest. Cluster mode stays off: the runtime's client
 * speaks to one primary, by its name, and finds out by itself when that has changed. ElastiCache writes durably only in
 * cluster mode; what a fail-over loses here is read again from the conversations' own tickets.
 */
export function ecsRedis({ place, subnetIds, securityGroupId, token, destroyData }: Given): {
  url: Output<string>;
  /** Names of its nodes. */
  nodes: Output<string>[];
} {
  const { name, parent, tags } = place;
  const called = `${name}-redis`;
  const subnets = new SubnetGroup(called, { subnetIds, tags }, { parent, retainOnDelete: !destroyData });
  const parameters = new ParameterGroup(
    called,
    {
      family: 'valkey8',
      description: `Berth ${name}: state is never thrown away to make room`,
      parameters: [{ name: 'maxmemory-policy', value: 'noeviction' }],
      tags,
    },
    { parent, retainOnDelete: !destroyData },
  );
  const group = new ReplicationGroup(
    called,
    {
      description: `Berth ${name}: state of conversations`,
      engine: 'valkey',
      engineVersion: '8.1',
      nodeType: NODE,
      numCacheClusters: NODES,
      automaticFailoverEnabled: true,
      multiAzEnabled: true,
      clusterMode: 'disabled',
      port: 6379,
      parameterGroupName: parameters.name,
      subnetGroupName: subnets.name,
      securityGroupIds: [securityGroupId],
      atRestEncryptionEnabled: true,
      transitEncryptionEnabled: true,
      transitEncryptionMode: 'required',
      authToken: secret(token),
      snapshotRetentionLimit: SNAPSHOT_DAYS,
      autoMinorVersionUpgrade: true,
      tags,
    },
    { parent, retainOnDelete: !destroyData },
  );
  return {
    url: secret(interpolate`rediss://:${token}@${group.primaryEndpointAddress}:6379`),
    // As ElastiCache numbers them.
    nodes: Array.from({ length: NODES }, (_, at) => interpolate`${group.id}-00${at + 1}`),
  };
}
