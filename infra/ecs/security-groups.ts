import { SecurityGroup } from '@pulumi/aws/ec2/securityGroup.js';
import type { Resource } from '@pulumi/pulumi';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';
import { type Flow, type FlowSettings, type GroupName, securityFlows } from './security-flows.ts';
import { securityRules } from './security-rules.ts';

type Always = 'alb' | 'runtime' | 'tasks' | 'workspaces' | 'redis' | 'postgres' | 'files';

/** Those that some flow begins or ends at. */
export type SecurityGroups = Record<Always, SecurityGroup> & Partial<Record<GroupName, SecurityGroup>>;

/** What a group is, in AWS' own console. */
const GROUPS: Record<GroupName, string> = {
  alb: 'load balancer of the API',
  runtime: 'the runtime',
  tasks: 'conversations',
  workspaces: 'workspaces',
  proxy: 'egress proxy',
  redis: 'state',
  postgres: 'database',
  files: 'homes of workspaces',
  'pull-endpoints': 'endpoints that start tasks',
  'control-endpoints': 'endpoints of ECS, STS and secrets',
  'model-endpoint': 'endpoint of models',
  'instance-endpoints': 'endpoints of ECS instances',
};

/** They stay with what they protect. */
const STORES: readonly GroupName[] = ['redis', 'postgres'];

/** One group a part, and rules for both ends of each flow: what is not written here can't connect. */
export function securityGroups(
  place: EcsPlace,
  network: EcsNetwork,
  {
    storesStay,
    clientRanges,
    ...settings
  }: FlowSettings & { storesStay: boolean; clientRanges?: string[] | undefined },
): { groups: SecurityGroups; rules: Resource[] } {
  const { name, parent, tags } = place;
  const flows = securityFlows(settings);
  const named = (end: Flow['from'] | Flow['to']): end is GroupName =>
    end in GROUPS && (network.own || !end.includes('endpoint'));
  const wanted = new Set(flows.flatMap(({ from, to }) => [from, to]).filter(named));
  const groups = Object.fromEntries(
    [...wanted].map((group) => {
      const called = `${name}-${group}`;
      const made = new SecurityGroup(
        called,
        {
          vpcId: network.vpcId,
          description: `Berth ${name}: ${GROUPS[group]}`,
          tags: { ...tags, Name: called },
        },
        { parent, retainOnDelete: storesStay && STORES.includes(group) },
      );
      return [group, made];
    }),
  ) as SecurityGroups; // every platform's flows have those that are not optional
  return { groups, rules: securityRules({ place, network, groups, flows, clientRanges }) };
}
