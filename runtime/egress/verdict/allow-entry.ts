import { isIP } from 'node:net';
import { splitAllowEntry } from '../../contracts/allow-entry.ts';
import { type CanonicalHost, parseAddress, parseHost } from './canonical-host.ts';

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
  const wrong = (what: string) =>
    new Error(`${JSON.stringify(text.slice(0, 300))} is no entry of an allow-list: ${what}.`);
  const rest = text.replace(INTERNAL, '');
  const bare = parseAddress(rest);
  if (bare) return { subdomains: false, host: bare, ports: PORTS_BY_DEFAULT, internal: INTERNAL.test(text) };
  const parts = splitAllowEntry(text);
  if ('problem' in parts) throw wrong(parts.problem);
  const { subdomains, port, internal } = parts;
  const host = parseHost(parts.host);
  if (!host) throw wrong('its host is no name and no plain IP address');
  if (subdomains && isIP(host) !== 0) throw wrong('an address has no names below it');
  return { subdomains, host, ports: port === undefined ? PORTS_BY_DEFAULT : [port], internal };
}
