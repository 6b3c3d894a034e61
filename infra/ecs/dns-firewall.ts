import { ResolverFirewallConfig } from '@pulumi/aws/route53/resolverFirewallConfig.js';
import { ResolverFirewallDomainList } from '@pulumi/aws/route53/resolverFirewallDomainList.js';
import { ResolverFirewallRule } from '@pulumi/aws/route53/resolverFirewallRule.js';
import { ResolverFirewallRuleGroup } from '@pulumi/aws/route53/resolverFirewallRuleGroup.js';
import { ResolverFirewallRuleGroupAssociation } from '@pulumi/aws/route53/resolverFirewallRuleGroupAssociation.js';
import type { Output, Resource } from '@pulumi/pulumi';
import type { EcsPlace } from './ecs-place.ts';
import { hostNames } from './egress-plan.ts';

interface Given {
  place: EcsPlace;
  vpcId: Output<string>;
  allowedDomains: readonly string[] | undefined;
  /** Of the API, where it has one of its own. */
  hostname: string | undefined;
  /** Below which workspaces have theirs. */
  workspaceDomain: string | undefined;
}

/** Names that anything in the network may ask for: AWS' of the region, the platform's own, and the hosts that are allowed. */
export function resolvableNames(
  name: string,
  region: string,
  { allowedDomains, hostname, workspaceDomain }: Omit<Given, 'place' | 'vpcId'>,
): string[] {
  const hosts = hostNames(allowedDomains).filter((host) => !/^[\d.]+$/.test(host));
  const named = hosts.map((host) => (host.startsWith('.') ? `*${host}` : host));
  const ours = ['', 'rds.', 'elb.'].map((service) => `*.${region}.${service}amazonaws.com`);
  const front = [hostname, workspaceDomain && `*.${workspaceDomain}`].filter((each) => each !== undefined);
  return [...new Set([...ours, '*.cache.amazonaws.com', `*.${name}.berth.internal`, ...front, ...named])];
}

/** Of strict mode: a name is a way out, too, for whoever owns the one it is asked of. What is not listed is not there. */
export function dnsFirewall({ place, vpcId, ...names }: Given): Resource[] {
  const { name, parent, tags, region } = place;
  const group = new ResolverFirewallRuleGroup(name, { tags }, { parent });
  const list = (called: string, domains: Output<string[]> | string[]) =>
    new ResolverFirewallDomainList(`${name}-${called}`, { domains, tags }, { parent });
  const known = list(
    'resolvable',
    region.apply((where) => resolvableNames(name, where, names)),
  );
  const allow = new ResolverFirewallRule(
    `${name}-resolvable`,
    {
      firewallRuleGroupId: group.id,
      firewallDomainListId: known.id,
      priority: 100,
      action: 'ALLOW',
      // An allowed host may be another's alias.
      firewallDomainRedirectionAction: 'TRUST_REDIRECTION_DOMAIN',
    },
    { parent },
  );
  const refuse = new ResolverFirewallRule(
    `${name}-everything-else`,
    {
      firewallRuleGroupId: group.id,
      firewallDomainListId: list('everything-else', ['*']).id,
      priority: 200,
      action: 'BLOCK',
      blockResponse: 'NXDOMAIN',
    },
    { parent },
  );
  // Where the firewall can't be asked nothing is resolved.
  const closed = new ResolverFirewallConfig(
    name,
    { resourceId: vpcId, firewallFailOpen: 'DISABLED' },
    { parent },
  );
  const applied = new ResolverFirewallRuleGroupAssociation(
    name,
    { firewallRuleGroupId: group.id, vpcId, priority: 101, tags },
    { parent, dependsOn: [allow, refuse] },
  );
  return [closed, applied];
}
