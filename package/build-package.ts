import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { emit, importedFromPulumi } from './emit.ts';
import { manifest, policyManifest, type Repository } from './manifest.ts';
import { makeSchema } from './schema.ts';

const root = fileURLToPath(new URL('..', import.meta.url)).slice(0, -1);

/** Makes the package anew in a folder: all that `npm pack` takes. */
export function buildPackage(folder: string): void {
  const ours: Repository = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const write = (name: string, content: object) =>
    writeFileSync(join(folder, name), `${JSON.stringify(content, null, 2)}\n`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  emit(root, folder);
  cpSync(join(root, 'package/files'), folder, { recursive: true });
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  write('package.json', manifest(ours, importedFromPulumi(folder)));
  write('policy/package.json', policyManifest(ours));
  write('schema.json', makeSchema(root, ours));
  const contexts = join(folder, 'dist/image-contexts');
  execFileSync(process.execPath, [join(root, 'images/contexts.ts'), contexts], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Packs a package's folder, and tells where the tarball is. */
export function packPackage(folder: string, into: string): string {
  const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', into];
  const answer = execFileSync('npm', args, {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [{ filename }] = JSON.parse(answer) as [{ filename: string }]; // as npm documents it
  return join(into, filename);
}
