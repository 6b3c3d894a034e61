import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type ImageName = 'workspace-base' | 'workspace-editor' | 'proxy-sidecar' | 'runtime';

/** What an image is built from, and a hash of it. */
export interface ImageContext {
  folder: string;
  hash: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'images', 'contexts.ts');
const folder = join(root, 'dist', 'image-contexts');
const list = join(folder, 'contexts.json');

let made: Record<ImageName, ImageContext> | undefined;

/** The contexts of this version's images: those of the package, or made anew where the sources are at hand. */
export function imageContexts(): Record<ImageName, ImageContext> {
  made ??= read();
  return made;
}

/** Whether anything that goes into an image changed after they were made; a folder's own time tells what is gone. */
function isOutdated(): boolean {
  const made = statSync(list, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return ['images', 'runtime', 'package.json', 'package-lock.json'].some(
    (part) => newest(join(root, part)) > made,
  );
}

function newest(path: string): number {
  const own = statSync(path, { throwIfNoEntry: false });
  if (own === undefined) return 0;
  if (!own.isDirectory()) return own.mtimeMs;
  return Math.max(own.mtimeMs, ...readdirSync(path).map((name) => newest(join(path, name))));
}

function read(): Record<ImageName, ImageContext> {
  if (existsSync(sources) && isOutdated())
    execFileSync(process.execPath, [sources, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  const hashes = JSON.parse(readFileSync(list, 'utf8')) as Record<ImageName, string>; // we wrote it
  const context = (name: ImageName): ImageContext => ({ folder: join(folder, name), hash: hashes[name] });
  return {
    'workspace-base': context('workspace-base'),
    'workspace-editor': context('workspace-editor'),
    'proxy-sidecar': context('proxy-sidecar'),
    runtime: context('runtime'),
  };
}
