import { isIP } from 'node:net';
import { type AllowEntry, parseAllowEntry } from './allow-entry.ts';
import type { CanonicalHost } from './canonical-host.ts';

/** `internal`: let through, and its address may be a private one. */
export type AllowMatch = 'no' | 'yes' | 'internal';

/** By port: whether a private address is meant. */
type Ports = Map<number, boolean>;

/** A compiled allow-list. Where several entries match, the most permissive counts. */
export class AllowList {
  readonly #hosts = new Map<string, Ports>();
  readonly #suffixes = new Map<string, Ports>();

  /** Throws on the first entry that is none. */
  constructor(entries: readonly string[]) {
    for (const text of entries) this.#add(parseAllowEntry(text));
  }

  match(host: CanonicalHost, port: number): AllowMatch {
    const exact = this.#hosts.get(host)?.get(port);
    const below = isIP(host) === 0 ? this.#matchSuffix(parentOf(host), port) : undefined;
    return verdictOf(exact, below);
  }

  /** As `match`, for all names below `suffix` at once. */
  matchSubdomains(suffix: CanonicalHost, port: number): AllowMatch {
    return verdictOf(this.#matchSuffix(suffix, port));
  }

  #matchSuffix(from: string, port: number): boolean | undefined {
    let found: boolean | undefined;
    for (let suffix = from; suffix !== ''; suffix = parentOf(suffix)) {
      const internal = this.#suffixes.get(suffix)?.get(port);
      if (internal !== undefined) found = found === true || internal;
    }
    return found;
  }

  #add(entry: AllowEntry): void {
    const map = entry.subdomains ? this.#suffixes : this.#hosts;
    const ports: Ports = map.get(entry.host) ?? new Map();
    map.set(entry.host, ports);
    for (const port of entry.ports) ports.set(port, entry.internal || ports.get(port) === true);
  }
}

/** Whether all that `entry` lets through is also let through by `ceiling`. Throws when `entry` is none. */
export function covers(ceiling: AllowList, entry: string): boolean {
  const { subdomains, host, ports, internal } = parseAllowEntry(entry);
  return ports.every((port) => {
    const match = subdomains ? ceiling.matchSubdomains(host, port) : ceiling.match(host, port);
    return match === 'internal' || (match === 'yes' && !internal);
  });
}

function verdictOf(...matches: (boolean | undefined)[]): AllowMatch {
  if (matches.includes(true)) return 'internal';
  return matches.includes(false) ? 'yes' : 'no';
}

function parentOf(name: string): string {
  const dot = name.indexOf('.');
  return dot < 0 ? '' : name.slice(dot + 1);
}
