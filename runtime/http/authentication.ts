import type { Request } from 'express';
import type { ApiKey } from '../access/api-key.ts';
import type { KeyRing } from '../access/key-ring.ts';
import { BerthError } from '../contracts/errors.ts';
import { upgradeOf } from './upgrades.ts';

/** Before the key as base64url. */
const KEY_PROTOCOL = 'berth.key.';

/** The key that the request brings, if it brings a valid one. */
export function presentedKey(request: Request, ring: KeyRing): ApiKey | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) {
    const offered = keyInProtocols(request);
    return offered === undefined ? undefined : ring.find(offered);
  }
  const [scheme, credentials] = authorization.split(' ', 2);
  if (scheme?.toLowerCase() !== 'bearer' || credentials === undefined) return undefined;
  return ring.find(credentials);
}

/** Browsers set no headers of a WebSocket but this one. */
function keyInProtocols(request: Request): string | undefined {
  if (upgradeOf(request) === undefined) return undefined;
  const offered = request.headers['sec-websocket-protocol']?.split(',').map((name) => name.trim());
  const key = offered?.find((name) => name.startsWith(KEY_PROTOCOL));
  return key && Buffer.from(key.slice(KEY_PROTOCOL.length), 'base64url').toString();
}

export function requireKey(request: Request, ring: KeyRing): ApiKey {
  const key = presentedKey(request, ring);
  if (key !== undefined) return key;
  const detail =
    request.headers.authorization === undefined
      ? 'send Authorization: Bearer <key>'
      : 'the key is unknown, or was taken back';
  throw new BerthError('UNAUTHENTICATED', detail);
}

export function requireAdmin(key: ApiKey): void {
  if (key.scope !== 'admin')
    throw new BerthError('FORBIDDEN', `key ${key.name} has scope ${key.scope}; this wants admin`);
}
