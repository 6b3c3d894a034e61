import { isIP } from 'node:net';
import type { AllowMatch } from './allow-list.ts';
import { parseAddress } from './canonical-host.ts';
import { Refusal, type Target } from './refusal.ts';
import { isSpecialAddress } from './special-address.ts';

/** All addresses of a name. */
export type Lookup = (host: string) => Promise<string[]>;

const MOST_ADDRESSES = 64;

/** Refuses what the list does not let through. Nothing is resolved before this. */
export function assertAllowed(match: AllowMatch, target: Target): asserts match is Exclude<AllowMatch, 'no'> {
  if (match !== 'no') return;
  const { host, port } = target;
  throw new Refusal(
    'not_allowed',
    `Domain not in whitelist\n${host}, port ${port}: the operator's EGRESS_ALLOWED_DOMAINS decides which hosts and ports can be reached.`,
    { target },
  );
}

/**
 * The addresses that may be dialled for a host that the list lets through: resolved once, and refused altogether
 * when any of them is special, unless the match is `internal`.
 */
export async function resolveTarget(target: Target, match: AllowMatch, lookup: Lookup): Promise<string[]> {
  const { host } = target;
  const answers = isIP(host) === 0 ? await resolve(target, lookup) : [host];
  if (match !== 'internal' && answers.some(isSpecialAddress)) {
    throw new Refusal(
      'private_address',
      `Domain not in whitelist\n${host} has a private or special address; the operator can mean it with internal:${host} in EGRESS_ALLOWED_DOMAINS.`,
      { target },
    );
  }
  return answers;
}

async function resolve(target: Target, lookup: Lookup): Promise<string[]> {
  const { host } = target;
  let answers: string[];
  try {
    answers = await lookup(host);
  } catch {
    answers = [];
  }
  const addresses = answers.slice(0, MOST_ADDRESSES).map((answer) => parseAddress(answer));
  if (answers.length > MOST_ADDRESSES || addresses.some((address) => address === undefined)) {
    throw new Refusal(
      'private_address',
      `Domain not in whitelist\n${host} resolves to what is no plain address.`,
      { target },
    );
  }
  if (addresses.length === 0) {
    throw new Refusal(
      'unresolved',
      `${host} has no address: check the name, and the DNS of the proxy's host.`,
      { target },
    );
  }
  return addresses.filter((address) => address !== undefined);
}
