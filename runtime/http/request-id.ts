import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The client's own, if it is a fit one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID();
}
