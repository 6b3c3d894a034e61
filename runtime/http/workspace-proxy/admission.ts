import type { IncomingMessage } from 'node:http';
import type { ApiKey } from '../../access/api-key.ts';
import type { KeyRing } from '../../access/key-ring.ts';
import { BerthError } from '../../contracts/errors.ts';
import type { WorkspaceId } from '../../contracts/ids.ts';
import { sessionCookies } from './cookies.ts';
import type { Session, Sessions } from './sessions.ts';

/** Who a request is let in as. */
export interface Admitted {
  key: ApiKey;
  /** None: by the key itself. */
  session: Session | undefined;
}

/** What is told of a key, if one stands in `Authorization`. */
export interface Bearer {
  key: ApiKey | undefined;
  /** It is a key of ours, be it taken back: the container does not get it. */
  ours: boolean;
}

export function bearerOf({ headers }: IncomingMessage, ring: KeyRing): Bearer {
  const [scheme, credentials] = (headers.authorization ?? '').split(' ', 2);
  if (scheme?.toLowerCase() !== 'bearer' || credentials === undefined) return { key: undefined, ours: false };
  const key = ring.find(credentials);
  return { key, ours: key !== undefined || credentials.startsWith('berth_') };
}

/** Throws `UNAUTHENTICATED`, the same for a workspace that there is and one that there is not. */
export function admit(
  request: IncomingMessage,
  id: WorkspaceId | undefined,
  { key }: Bearer,
  sessions: Sessions,
): Admitted {
  if (key !== undefined) return { key, session: undefined };
  for (const value of sessionCookies(request.headers.cookie)) {
    const session = id === undefined ? undefined : sessions.open(value, id);
    if (session !== undefined) return { key: session.key, session };
  }
  throw new BerthError(
    'UNAUTHENTICATED',
    'send Authorization: Bearer <key>, or open a link to the workspace',
  );
}

/** The origins that a workspace's own pages have. */
export interface OwnOrigin {
  has(origin: string): boolean;
}

/**
 * Whether another site's page made this request with the user's cookie. Browsers send that along within a site, and
 * all workspaces of a domain are one: a page of one must not act in another. Opening it by a link is fine.
 */
export function isForeign({ method, headers }: IncomingMessage, own: OwnOrigin): boolean {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return false;
  if (site !== undefined) {
    const opens = headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';
    return !(opens && (method === 'GET' || method === 'HEAD'));
  }
  return headers.origin !== undefined && !own.has(headers.origin);
}

/** A WebSocket with a cookie is opened by the workspace's own pages only. */
export function isForeignSocket({ headers }: IncomingMessage, own: OwnOrigin): boolean {
  return headers.origin === undefined || !own.has(headers.origin);
}
