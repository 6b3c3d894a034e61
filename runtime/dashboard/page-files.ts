import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { vendorFiles } from './vendor-files.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
};

/** In the sources, and at the same place beside the bundle. */
const page = new URL('./page/', import.meta.url);
const packages = new URL('../../node_modules/', import.meta.url);

/** Where the page's own text says that its files are; served, the version stands there instead. */
const WRITTEN_BASE = '/dashboard/page/';
const PRELOADS = '<!-- preloads -->';
/** Loaded only when it is opened. */
const LATER = /^(vendor|terminal)\//;

export type Encoding = 'br' | 'gzip' | 'identity';

/** One file of the dashboard, compressed once, when it is first asked for. */
export class PageFile {
  readonly type: string;
  readonly etag: string;
  readonly content: Buffer;
  readonly #compressed = new Map<Encoding, Promise<Buffer>>();

  constructor(name: string, content: Buffer) {
    this.type = TYPES[extname(name)] ?? 'application/octet-stream';
    this.content = content;
    this.etag = `"${hashOf([content])}"`;
  }

  as(encoding: Encoding): Promise<Buffer> {
    if (encoding === 'identity') return Promise.resolve(this.content);
    const compress = encoding === 'br' ? promisify(brotliCompress) : promisify(gzip);
    const known = this.#compressed.get(encoding) ?? compress(this.content);
    this.#compressed.set(encoding, known);
    return known;
  }
}

/** All that the dashboard consists of, by its path. What is not in it is not served, whatever a path says. */
export interface PageFiles {
  index: PageFile;
  /** Changes with any file: what lies below it never changes. */
  version: string;
  files: ReadonlyMap<string, PageFile>;
}

/** Reads all of it at once; later changes of the folder are not seen. */
export function readPageFiles(): PageFiles {
  const own = readdirSync(page, { recursive: true, encoding: 'utf8' })
    .filter((name) => extname(name) in TYPES)
    .toSorted()
    .map((name) => [name, readFileSync(new URL(name, page))] as const);
  const vendor = [...vendorFiles()].map(
    ([name, file]) => [`vendor/${name}`, readFileSync(fileURLToPath(new URL(file, packages)))] as const,
  );
  const all = new Map([...own, ...vendor]);
  const version = hashOf([...all.values()]).slice(0, 16);
  const html = all.get('index.html')?.toString('utf8') ?? '';
  all.delete('index.html');
  const preloads = [...all.keys()]
    .filter((name) => name.endsWith('.js') && !LATER.test(name))
    .map((name) => `<link rel="modulepreload" href="${WRITTEN_BASE}${name}" />`)
    .join('\n    ');
  const index = html.replace(PRELOADS, preloads).replaceAll(WRITTEN_BASE, `/dashboard/${version}/`);
  return {
    index: new PageFile('index.html', Buffer.from(index)),
    version,
    files: new Map([...all].map(([name, content]) => [name, new PageFile(name, content)] as const)),
  };
}

function hashOf(parts: readonly Buffer[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${part.length}\0`).update(part);
  return hash.digest('base64url').slice(0, 22);
}
