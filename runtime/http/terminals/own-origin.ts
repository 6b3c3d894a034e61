import type { Request } from 'express';
import { BerthError } from '../../contracts/errors.ts';

/** Throws `FORBIDDEN` for a page of another site: browsers let any page open a WebSocket to anywhere. */
export function requireOwnOrigin(request: Request, publicUrl: string | undefined): void {
  const { origin } = request.headers;
  if (origin === undefined) return; // no browser
  const host = URL.canParse(origin) ? new URL(origin).host : undefined;
  const own = [request.headers.host, request.host, publicUrl && new URL(publicUrl).host];
  if (host !== undefined && host !== '' && own.some((each) => each?.toLowerCase() === host)) return;
  throw new BerthError(
    'FORBIDDEN',
    'a page of another origin may not open this; open it from the service’s own address, or set PUBLIC_URL to the one that its pages have',
  );
}
