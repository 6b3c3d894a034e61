import { BlockList, isIPv4 } from 'node:net';
import { parseAddress } from './canonical-host.ts';

/** What is not the public internet, by IANA's registries of special-purpose addresses. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers; some clouds' metadata
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // Azure's own services for its machines
  '169.254.0.0/16', // link-local; clouds' metadata and credentials
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // relays of 6to4
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];

/** Within 2000::/3, outside of which no IPv6 address is public. */
const SPECIAL_IPV6 = [
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4, which has an IPv4 address in it
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
];

const special = new BlockList();
const globalUnicast = new BlockList();
for (const subnet of SPECIAL_IPV4) special.addSubnet(...split(subnet), 'ipv4');
for (const subnet of SPECIAL_IPV6) special.addSubnet(...split(subnet), 'ipv6');
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Whether an address is anything but a plain public one; what is no address is special too. */
export function isSpecialAddress(text: string): boolean {
  const address = parseAddress(text);
  if (!address) return true;
  if (isIPv4(address)) return special.check(address, 'ipv4');
  return !globalUnicast.check(address, 'ipv6') || special.check(address, 'ipv6');
}

function split(subnet: string): [network: string, prefix: number] {
  const [network = '', prefix] = subnet.split('/');
  return [network, Number(prefix)];
}
