import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type ImageName = 'workspace-base' | 'proxy-sidecar' | 'runtime';

/** What an image is built from, and a hash of it. */
export interface ImageContext {
  folder: string;
  hash: string;
}

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = join(root, 'images', 'contexts.ts');
const folder = join(root, 'dist', 'image-contexts');

let made: Record<ImageName, ImageContext> | undefined;

/** The contexts of this version's images: those of the package, or made anew where the sources are at hand. */
export function imageContexts(): Record<ImageName, ImageContext> {
  made ??= read();
  return made;
}

function read(): Record<ImageName, ImageContext> {
  if (existsSync(sources))
    execFileSync(process.execPath, [sources, folder], { stdio: ['ignore', 'ignore', 'inherit'] });
  const hashes = JSON.parse(readFileSync(join(folder, 'contexts.json'), 'utf8')) as Record<ImageName, string>; // we wrote it
  const context = (name: ImageName): ImageContext => ({ folder: join(folder, name), hash: hashes[name] });
  return {
    'workspace-base': context('workspace-base'),
    'proxy-sidecar': context('proxy-sidecar'),
    runtime: context('runtime'),
  };
}
