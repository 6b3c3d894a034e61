import type { RoutePlan } from '../route-plan.ts';

/** Where a rule sends requests, and the path that theirs goes behind. */
export interface BaseUrl {
  target: RoutePlan['target'];
  path: string;
}

const MOST_CHARACTERS = 2048;
const SHAPE = /^https?:\/\/[^/?#@\\\s]+(?:\/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/]|%[0-9A-Fa-f]{2})*)?$/i;

/** Undefined for all but http and https addresses without user information, query and fragment. */
export function parseBaseUrl(text: string): BaseUrl | undefined {
  if (text.length > MOST_CHARACTERS || !SHAPE.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null || url.hostname === '' || url.port === '0') return undefined;
  const secure = url.protocol === 'https:';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  // The name of a host is the same with and without a dot at its end; it is sent without.
  return { target: { secure, host: url.hostname.replace(/\.$/, ''), port }, path: url.pathname };
}

/** The base of a rule that has been parsed. */
export function baseOf(text: string): BaseUrl {
  const base = parseBaseUrl(text);
  if (base === undefined) throw new Error('the address of a rule is none, which its parser should have said');
  return base;
}

/** What the `Host` header says for this target. */
export function hostHeader({ secure, host, port }: RoutePlan['target']): string {
  return port === (secure ? 443 : 80) ? host : `${host}:${port}`;
}
