import { ParameterGroup } from '@pulumi/aws/elasticache/parameterGroup.js';
import { ReplicationGroup } from '@pulumi/aws/elasticache/replicationGroup.js';
import { SubnetGroup } from '@pulumi/aws/elasticache/subnetGroup.js';
import { interpolate, type Output, secret } from '@pulumi/pulumi';
import type { EcsPlace } from './ecs-place.ts';

const NODE = 'cache.r7g.large';
/** In one shard, since all of an installation's keys are in one place. */
const REPLICAS = 1;
const SNAPSHOT_DAYS = 7;

interface Given {
  place: EcsPlace;
  subnetIds: Output<string[]>;
  securityGroupId: Output<string>;
  token: Output<string>;
  destroyData: boolean;
}

/**
 * Valkey with a replica in another zone, encrypted on its way and at rest. What it has confirmed is in two zones' logs:
 * no fail-over loses it. ElastiCache writes durably in cluster mode only, so it is a cluster of one shard.
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
      family: 'valkey9',
      description: `Berth ${name}: state is never thrown away to make room`,
      parameters: [
        { name: 'cluster-enabled', value: 'yes' },
        { name: 'maxmemory-policy', value: 'noeviction' },
      ],
      tags,
    },
    { parent, retainOnDelete: !destroyData },
  );
  const group = new ReplicationGroup(
    called,
    {
      description: `Berth ${name}: state of conversations`,
      engine: 'valkey',
      engineVersion: '9.0',
      nodeType: NODE,
      numNodeGroups: 1,
      replicasPerNodeGroup: REPLICAS,
      automaticFailoverEnabled: true,
      multiAzEnabled: true,
      clusterMode: 'enabled',
      durability: 'sync',
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
    url: secret(interpolate`rediss://:${token}@${group.configurationEndpointAddress}:6379`),
    // As ElastiCache numbers them.
    nodes: Array.from({ length: 1 + REPLICAS }, (_, at) => interpolate`${group.id}-0001-00${at + 1}`),
  };
}
