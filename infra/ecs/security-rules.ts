import { getPrefixListOutput } from '@pulumi/aws/ec2/getPrefixList.js';
import type { SecurityGroup } from '@pulumi/aws/ec2/securityGroup.js';
import { SecurityGroupEgressRule } from '@pulumi/aws/vpc/securityGroupEgressRule.js';
import { SecurityGroupIngressRule } from '@pulumi/aws/vpc/securityGroupIngressRule.js';
import { type Input, interpolate, type Resource } from '@pulumi/pulumi';
import type { EcsNetwork } from './ecs-network.ts';
import type { EcsPlace } from './ecs-place.ts';
import type { Flow, GroupName } from './security-flows.ts';

type Groups = Partial<Record<GroupName, SecurityGroup>>;

const PRIVATE_RANGES = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];

/** The other end of a flow, as a rule names it. */
interface Peer {
  /** The same for the same peer. */
  key: string;
  /** What the name of its rule ends in. */
  suffix?: string;
  at: {
    referencedSecurityGroupId?: Input<string>;
    cidrIpv4?: Input<string>;
    prefixListId?: Input<string>;
  };
}

/** One rule of a group. */
interface Rule extends Peer {
  type: typeof SecurityGroupIngressRule | typeof SecurityGroupEgressRule;
  /** Which of the flow's ends the group is. */
  end: string;
  name: string;
  group: SecurityGroup;
  port: number;
  /** Of every flow that it is for. */
  why: string[];
}

interface Given {
  place: EcsPlace;
  network: EcsNetwork;
  groups: Groups;
  flows: readonly Flow[];
  /** Whose machines may call the API; none: the network's own. */
  clientRanges: readonly string[] | undefined;
}

/**
 * A rule for both ends of every flow that are groups of ours. EC2 knows a rule by all but its description, and takes
 * none twice: flows that come to the same rule share it.
 */
export function securityRules(given: Given): Resource[] {
  const { parent, tags } = given.place;
  const rules = new Map<string, Rule>();
  for (const flow of given.flows)
    for (const rule of rulesOf(given, flow)) {
      const key = `${rule.end} ${rule.port} ${rule.key}`;
      const found = rules.get(key);
      if (found === undefined) rules.set(key, rule);
      else found.why.push(...rule.why.filter((each) => !found.why.includes(each)));
    }
  return [...rules.values()].map(({ type: Type, name, group, port, why, at }) => {
    const of = { ipProtocol: 'tcp', fromPort: port, toPort: port, description: why.join('; '), tags };
    return new Type(name, { ...of, ...at, securityGroupId: group.id }, { parent });
  });
}

/** Those of one flow. */
function rulesOf(given: Given, { from, to, port, why }: Flow): Rule[] {
  const source = given.groups[from as GroupName]; // the casts: there is none for what is no group
  const target = given.groups[to as GroupName];
  const called = `${given.place.name}-${from}-to-${to}-${port}`;
  const made = (of: Pick<Rule, 'type' | 'end' | 'group'>, peers: Peer[]): Rule[] =>
    peers.map((peer) => ({ ...of, ...peer, name: called + (peer.suffix ?? ''), port, why: [why] }));
  return [
    ...(target
      ? made({ type: SecurityGroupIngressRule, end: `into ${to}`, group: target }, peersOf(given, from))
      : []),
    ...(source
      ? made({ type: SecurityGroupEgressRule, end: `out of ${from}`, group: source }, peersOf(given, to))
      : []),
  ];
}

/** Endpoints of a network that was given have no group of ours, and are somewhere in it. */
function peersOf({ place, network, groups, clientRanges }: Given, end: Flow['from'] | Flow['to']): Peer[] {
  const group = groups[end as GroupName]; // the cast: there is none for what is no group
  if (group !== undefined) return [{ key: end, at: { referencedSecurityGroupId: group.id } }];
  const ranges = (several: readonly string[]) =>
    [...new Set(several)].map((range) => ({
      key: range,
      suffix: `-${range.replaceAll(/[./]/g, '-')}`,
      at: { cidrIpv4: range },
    }));
  if (end === 'private') return ranges(PRIVATE_RANGES);
  if (end === 'clients' && clientRanges !== undefined) return ranges(clientRanges);
  if (end === 'internet') return [{ key: end, at: { cidrIpv4: '0.0.0.0/0' } }];
  if (end === 's3') {
    const { parent, region } = place;
    const prefixes = getPrefixListOutput({ name: interpolate`com.amazonaws.${region}.s3` }, { parent });
    return [{ key: end, at: { prefixListId: prefixes.id } }];
  }
  return [{ key: 'network', at: { cidrIpv4: network.range } }];
}
