import { BlockList, isIP } from 'node:net';
import { list, object, several, text } from './reading.ts';
import type { Check, ResourceRule } from './rule.ts';

/** Ranges that the internet does not have: private ones, those of carriers, and unique local ones of IPv6. */
const PRIVATE = [
  { address: '10.0.0.0', bits: 8 },
  { address: '172.16.0.0', bits: 12 },
  { address: '192.168.0.0', bits: 16 },
  { address: '100.64.0.0', bits: 10 },
  { address: 'fc00::', bits: 7 },
].map(({ address, bits }) => {
  const addresses = new BlockList();
  addresses.addSubnet(address, bits, familyOf(address));
  return { addresses, bits };
});

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 4 ? 'ipv4' : 'ipv6';
}

function isPrivate(range: string): boolean {
  const [address = '', length = ''] = range.split('/');
  if (isIP(address) === 0 || !/^\d+$/.test(length)) return false;
  return PRIVATE.some(
    ({ addresses, bits }) => Number(length) >= bits && addresses.check(address, familyOf(address)),
  );
}

function openRanges(ranges: unknown[]): string[] {
  return ranges
    .map(text)
    .filter((range) => range !== '' && !isPrivate(range))
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
