import { isPrivateRange } from '../private-ranges.ts';
import { list, object, several, text } from './reading.ts';
import type { Check, ResourceRule } from './rule.ts';

function openRanges(ranges: unknown[]): string[] {
  return ranges
    .map(text)
    .filter((range) => range !== '' && !isPrivateRange(range))
    .map((range) => `Anyone in ${range} may connect`);
}

const ofGroup: Check = ({ ingress }) =>
  list(ingress).flatMap((rule) => {
    const { cidrBlocks, ipv6CidrBlocks } = object(rule);
    return openRanges([...several(cidrBlocks), ...several(ipv6CidrBlocks)]);
  });

export const noOpenIngress: ResourceRule = {
  name: 'no-open-ingress',
  description:
    'Connections come from security groups or private ranges, such as the network of the load balancer.',
  level: 'mandatory',
  fix: "Name the security group that calls, or the network's own range",
  checks: {
    'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule': ({ cidrIpv4, cidrIpv6 }) =>
      openRanges([cidrIpv4, cidrIpv6]),
    'aws:ec2/securityGroupRule:SecurityGroupRule': ({ type, cidrBlocks, ipv6CidrBlocks }) =>
      type === 'ingress' ? openRanges([...several(cidrBlocks), ...several(ipv6CidrBlocks)]) : [],
    'aws:ec2/securityGroup:SecurityGroup': ofGroup,
    'aws:ec2/defaultSecurityGroup:DefaultSecurityGroup': ({ ingress }) =>
      list(ingress).length > 0 ? ['The default security group lets in whoever names no group'] : [],
  },
};
