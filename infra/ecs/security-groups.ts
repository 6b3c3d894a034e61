import { getPrefixListOutput } from '@pulumi/aws/ec2/getPrefixList.js';
import { SecurityGroup } from '@pulumi/aws/ec2/securityGroup.js';
import { SecurityGroupEgressRule } from '@pulumi/aws/vpc/securityGroupEgressRule.js';
import { SecurityGroupIngressRule } from '@pulumi/aws/vpc/securityGroupIngressRule.js';
import { type Input, interpolate, type Resource } from '@pulumi/pulumi';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';
import { type Flow, type FlowSettings, type GroupName, securityFlows } from './security-flows.ts';

/** Those that some flow begins or ends at. */
export type SecurityGroups = Record<'alb' | 'runtime' | 'tasks' | 'redis' | 'postgres', SecurityGroup> &
  Partial<Record<GroupName, SecurityGroup>>;

/** What a group is, in AWS' own console. */
const GROUPS: Record<GroupName, string> = {
  alb: 'load balancer of the API',
  runtime: 'the runtime',
  tasks: 'conversations',
  proxy: 'egress proxy',
  redis: 'state',
  postgres: 'database',
  'pull-endpoints': 'endpoints that start tasks',
  'control-endpoints': 'endpoints of ECS, STS and secrets',
  'model-endpoint': 'endpoint of models',
  'instance-endpoints': 'endpoints of ECS instances',
};

/** They stay with what they protect. */
const STORES: readonly GroupName[] = ['redis', 'postgres'];

const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];

/** One group a part, and one rule an end of each flow: what is not written here can't connect. */
export function securityGroups(
  place: EcsPlace,
  network: EcsNetwork,
  { storesStay, ...settings }: FlowSettings & { storesStay: boolean },
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
  return { groups, rules: flows.flatMap((flow) => rulesOf(place, network, groups, flow)) };
}

/** Both ends of a flow that are groups of ours. */
function rulesOf(place: EcsPlace, network: EcsNetwork, groups: SecurityGroups, flow: Flow): Resource[] {
  const rules: Resource[] = [];
  const { name, parent, tags } = place;
  const { from, to, port, why: description } = flow;
  const of = { ipProtocol: 'tcp', fromPort: port, toPort: port, description, tags };
  const called = `${name}-${from}-to-${to}-${port}`;
  const source = from === 'network' ? undefined : groups[from];
  const target = isGroup(to) ? groups[to] : undefined;
  if (target !== undefined) {
    const peer = source ? { referencedSecurityGroupId: source.id } : { cidrIpv4: network.range };
    const rule = { ...of, ...peer, securityGroupId: target.id };
    rules.push(new SecurityGroupIngressRule(called, rule, { parent }));
  }
  if (source !== undefined) {
    const peers = target ? [{ referencedSecurityGroupId: target.id }] : outside(place, network, to);
    for (const [at, peer] of peers.entries()) {
      const each = at === 0 ? called : `${called}-${at}`;
      const rule = { ...of, ...peer, securityGroupId: source.id };
      rules.push(new SecurityGroupEgressRule(each, rule, { parent }));
    }
  }
  return rules;
}

function isGroup(end: Flow['to']): end is GroupName {
  return end in GROUPS;
}

/** What is no group of ours, as a rule names it. Endpoints of a network that was given are somewhere in it. */
function outside(
  { parent, region }: EcsPlace,
  network: EcsNetwork,
  to: Flow['to'],
): { cidrIpv4?: Input<string>; prefixListId?: Input<string> }[] {
  if (to === 's3') {
    const prefixes = getPrefixListOutput({ name: interpolate`com.amazonaws.${region}.s3` }, { parent });
    return [{ prefixListId: prefixes.id }];
  }
  if (to === 'private') return PRIVATE_RANGES.map((cidrIpv4) => ({ cidrIpv4 }));
  return [{ cidrIpv4: to === 'internet' ? '0.0.0.0/0' : network.range }];
}
