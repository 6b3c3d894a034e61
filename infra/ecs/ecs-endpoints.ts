import { VpcEndpoint } from '@pulumi/aws/ec2/vpcEndpoint.js';
import { all, interpolate } from '@pulumi/pulumi';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';
import { ownAccountOnly, ownBucketsAndImageLayers } from './endpoint-policies.ts';
import type { EndpointGroup } from './security-flows.ts';
import type { SecurityGroups } from './security-groups.ts';

/** By whom they are called: each set has a security group of its own. */
export const ENDPOINTS: Record<EndpointGroup, readonly string[]> = {
  /** What starts any task. */
  'pull-endpoints': ['ecr.api', 'ecr.dkr', 'logs'],
  /** What the runtime and the starts of services call. */
  'control-endpoints': ['secretsmanager', 'ecs', 'sts', 'elasticfilesystem'],
  'model-endpoint': ['bedrock-runtime'],
  /** What instances call that run tasks. */
  'instance-endpoints': ['ecs-agent', 'ecs-telemetry'],
};

interface Given {
  place: EcsPlace;
  network: EcsNetwork;
  groups: SecurityGroups;
}

/** AWS' services inside the network, for its own account only: no call of theirs goes over the internet. */
export function ecsEndpoints({ place, network, groups }: Given): VpcEndpoint[] {
  const { name, parent, tags, region, account, partition } = place;
  const s3 = new VpcEndpoint(
    `${name}-s3`,
    {
      vpcId: network.vpcId,
      serviceName: interpolate`com.amazonaws.${region}.s3`,
      vpcEndpointType: 'Gateway',
      routeTableIds: network.routeTables,
      policy: all([account, region, partition]).apply((of) =>
        JSON.stringify(ownBucketsAndImageLayers(...of)),
      ),
      tags: { ...tags, Name: `${name}-s3` },
    },
    { parent },
  );
  const made = [s3];
  const sets = Object.keys(ENDPOINTS) as EndpointGroup[]; // the table's own keys
  for (const group of sets) {
    const securityGroup = groups[group];
    if (securityGroup === undefined) continue;
    for (const service of ENDPOINTS[group]) {
      const called = `${name}-${service}`;
      const endpoint = new VpcEndpoint(
        called,
        {
          vpcId: network.vpcId,
          serviceName: interpolate`com.amazonaws.${region}.${service}`,
          vpcEndpointType: 'Interface',
          privateDnsEnabled: true,
          subnetIds: network.serviceSubnets,
          securityGroupIds: [securityGroup.id],
          policy: account.apply((id) => JSON.stringify(ownAccountOnly(id))),
          tags: { ...tags, Name: called },
        },
        { parent },
      );
      made.push(endpoint);
    }
  }
  return made;
}
