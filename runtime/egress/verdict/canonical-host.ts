import { isIPv4, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { isHostName } from '../../contracts/allow-entry.ts';

/**
 * A host in the one form in which hosts are compared: a lower-case ASCII name without a trailing dot, a dotted
 * IPv4 address, or a compressed IPv6 address without brackets.
 */
export type CanonicalHost = string & { readonly canonicalHost: unique symbol };

const IPV6 = /^[0-9a-f:.]{2,45}$/i;
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;

/** The canonical form of a host as it stands in a URL (IPv6 in brackets), or undefined when it is none or an odd one. */
export function parseHost(text: string): CanonicalHost | undefined {
  if (text.startsWith('[') && text.endsWith(']')) return parseAddress(text.slice(1, -1), 6);
  if (isIPv4(text)) return parseAddress(text, 4);
  if (text.length > 1024 || /[\0-\x20\x7f%@/\\?#:[\]]/.test(text)) return undefined;
  // Most names are as they should be, and are spared the conversion.
  const ascii = isHostName(text) ? text : domainToASCII(text);
  const name = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii;
  if (!isHostName(name)) return undefined;
  // What domainToASCII turned into an address was an address in disguise.
  return isIPv4(name) ? undefined : canonical(name);
}

/** The canonical form of an IP address without brackets; an IPv4 address mapped into IPv6 is that IPv4 address. */
export function parseAddress(text: string, family?: 4 | 6): CanonicalHost | undefined {
  if (family !== 6 && isIPv4(text)) return canonical(text);
  if (family === 4 || !IPV6.test(text) || !isIPv6(text)) return undefined;
  const compressed = new URL(`http://[${text}]`).hostname.slice(1, -1);
  const [, high, low] = MAPPED.exec(compressed) ?? [];
  if (high === undefined || low === undefined) return canonical(compressed);
  const bits = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return canonical(bits.flatMap((half) => [half >> 8, half & 255]).join('.'));
}

/** The host as it stands in a URL or a `Host` header. */
export function inUrl(host: CanonicalHost): string {
  return host.includes(':') ? `[${host}]` : host;
}

function canonical(text: string): CanonicalHost {
  // The one place that makes them: every caller above has checked the form.
  return text as CanonicalHost;
}
