import type { Request } from 'express';
import type { ApiKey } from '../access/api-key.ts';
import type { KeyRing } from '../access/key-ring.ts';
import { BerthError } from '../contracts/errors.ts';

/** The key that the request brings, if it brings a valid one. */
export function presentedKey(request: Request, ring: KeyRing): ApiKey | undefined {
  const [scheme, credentials] = (request.headers.authorization ?? '').split(' ', 2);
  if (scheme?.toLowerCase() !== 'bearer' || credentials === undefined) return undefined;
  return ring.find(credentials);
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
