import type { Request, Response } from 'express';
import { BerthError } from '../contracts/errors.ts';
import { type Encoding, type PageFile, type PageFiles, readPageFiles } from '../dashboard/page-files.ts';

/**
 * Nothing runs or loads but what this service has, and no text becomes a script or a style. A frame of another page
 * could lead a user's clicks.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const HEADERS = new Map([
  ['Content-Security-Policy', POLICY],
  ['X-Content-Type-Options', 'nosniff'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cross-Origin-Opener-Policy', 'same-origin'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['Vary', 'Accept-Encoding'],
]);

const PREFIX = '/dashboard/';

/** The dashboard's static files: public, since they tell nothing; all that they show comes by the API, with a key. */
export class Dashboard {
  #files: PageFiles | undefined;

  /** Whether this is a request for one of them. */
  takes({ method, path }: Pick<Request, 'method' | 'path'>): boolean {
    return (method === 'GET' || method === 'HEAD') && (path === '/' || path.startsWith(PREFIX));
  }

  async send(request: Request, response: Response): Promise<void> {
    const { file, isLasting } = this.#find(request.path);
    response.setHeaders(HEADERS);
    response.setHeader('ETag', file.etag);
    response.setHeader('Cache-Control', isLasting ? 'public, max-age=31536000, immutable' : 'no-cache');
    if (request.headers['if-none-match'] === file.etag) {
      response.status(304).end();
      return;
    }
    const encoding = chosenEncoding(request.headers['accept-encoding']);
    const body = await file.as(encoding);
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding);
    response.setHeader('Content-Type', file.type);
    response.setHeader('Content-Length', body.length);
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  #find(path: string): { file: PageFile; isLasting: boolean } {
    this.#files ??= readPageFiles();
    const { index, version, files } = this.#files;
    if (path === '/') return { file: index, isLasting: false };
    const [, asked, name = ''] = /^\/dashboard\/([^/]*)\/(.*)$/.exec(path) ?? [];
    const file = files.get(name);
    if (file === undefined) throw new BerthError('ROUTE_NOT_FOUND', `the dashboard has no ${path}`);
    // Another instance, of another version, may have sent the page that asks.
    return { file, isLasting: asked === version };
  }
}

function chosenEncoding(accepted: string | string[] | undefined): Encoding {
  const text = `${accepted}`;
  if (/\bbr\b/.test(text)) return 'br';
  return /\bgzip\b/.test(text) ? 'gzip' : 'identity';
}
