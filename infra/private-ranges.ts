import { BlockList, isIP } from 'node:net';

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

/** Whether all addresses of a range are private. */
export function isPrivateRange(range: string): boolean {
  const [address = '', length = ''] = range.split('/');
  if (isIP(address) === 0 || !/^\d+$/.test(length)) return false;
  return PRIVATE.some(
    ({ addresses, bits }) => Number(length) >= bits && addresses.check(address, familyOf(address)),
  );
}

/** Whether it is of IPv4 and begins where it says, as EC2 keeps it: `10.1.0.0/16`, and not `10.1.2.3/16`. */
export function isExactRange(range: string): boolean {
  const [address = '', length = ''] = range.split('/');
  const bits = Number(length);
  if (isIP(address) !== 4 || !/^\d+$/.test(length) || bits > 32) return false;
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return number % 2 ** (32 - bits) === 0;
}
