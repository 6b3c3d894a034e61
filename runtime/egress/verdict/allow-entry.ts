import { isIP } from 'node:net';
import { type CanonicalHost, parseAddress, parseHost } from './canonical-host.ts';
import { isPort } from './target.ts';

/** One line of an allow-list: `host`, `.suffix`, `host:port`, `.suffix:port`, each also behind `internal:`. */
export interface AllowEntry {
  /** Whether all names below `host` are meant; `host` itself is not among them. */
  readonly subdomains: boolean;
  readonly host: CanonicalHost;
  readonly ports: readonly number[];
  /** Whether a private address is meant. */
  readonly internal: boolean;
}

const PORTS_BY_DEFAULT = [80, 443];
const INTERNAL = /^internal:/i;

/** Throws an Error that names the entry and what is wrong with it. */
export function parseAllowEntry(text: string): AllowEntry {
  const internal = INTERNAL.test(text);
  const rest = text.replace(INTERNAL, '');
  const wrong = (what: string) =>
    new Error(`${JSON.stringify(text.slice(0, 300))} is no entry of an allow-list: ${what}.`);
  if (rest.trim() === '') throw wrong('it names no host');
  if (/\s/.test(rest)) throw wrong('it has white space in it');
  if (rest.includes('*'))
    throw wrong('there are no wildcards; ".example.com" means all names below example.com');
  if (rest.includes('/')) throw wrong('it takes a host, not a URL or a network');
  if (rest.includes('@')) throw wrong('it takes a host without a user');

  const bare = parseAddress(rest);
  if (bare) return { subdomains: false, host: bare, ports: PORTS_BY_DEFAULT, internal };
  const [, name, port] = /^(\[[^\]]*\]|[^:]*)(?::(.*))?$/.exec(rest) ?? [];
  if (name === undefined) throw wrong('an IPv6 address with a port takes brackets');
  if (port !== undefined && !isPort(port)) throw wrong('its port is no number from 1 to 65535');
  const subdomains = name.startsWith('.');
  const host = parseHost(subdomains ? name.slice(1) : name);
  if (!host) throw wrong('its host is no name and no plain IP address');
  if (subdomains && isIP(host) !== 0) throw wrong('an address has no names below it');
  return { subdomains, host, ports: port === undefined ? PORTS_BY_DEFAULT : [Number(port)], internal };
}
