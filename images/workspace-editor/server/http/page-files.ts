import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { vendorFiles } from '../vendor-files.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
};

const page = new URL('../../page/', import.meta.url);
/** Beside the repository's own folders, and at the same place of the image. */
const packages = new URL('../../../../node_modules/', import.meta.url);

let files: ReadonlyMap<string, URL> | undefined;

/** Every path that the page has, with its file. What is not in it is not served, whatever a path says. */
function pageFiles(): ReadonlyMap<string, URL> {
  files ??= new Map([
    ...readdirSync(page)
      .filter((name) => extname(name) in TYPES)
      .map((name) => [name === 'index.html' ? '/' : `/${name}`, new URL(name, page)] as const),
    ...[...vendorFiles()].map(([path, file]) => [`/vendor/${path}`, new URL(file, packages)] as const),
  ]);
  return files;
}

/** Sends a file of the page, if the path is one. Browsers ask again each time, and mostly hear that it is the same. */
export async function sendPageFile(
  path: string,
  { headers }: IncomingMessage,
  res: ServerResponse,
): Promise<boolean> {
  const file = pageFiles().get(path);
  if (file === undefined) return false;
  const content = await readFile(file);
  const etag = `W/"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`;
  res.setHeader('etag', etag);
  res.setHeader('cache-control', 'no-cache');
  res.setHeader('vary', 'accept-encoding');
  if (headers['if-none-match'] === etag) {
    res.writeHead(304).end();
    return true;
  }
  const zipped = /\bgzip\b/.test(`${headers['accept-encoding']}`);
  const body = zipped ? await promisify(gzip)(content) : content;
  if (zipped) res.setHeader('content-encoding', 'gzip');
  res.writeHead(200, { 'content-type': TYPES[extname(file.pathname)], 'content-length': body.length });
  res.end(body);
  return true;
}
