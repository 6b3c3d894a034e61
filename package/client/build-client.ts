import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from '../emit.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Makes the client's package anew in a folder: all that `npm pack` takes. */
export function buildClient(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  compile(join(root, 'package/client/tsconfig.json'), folder);
  cpSync(join(root, 'runtime/client/README.md'), join(folder, 'README.md'));
  cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
  const { version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const manifest = {
    name: '@berth/client',
    version,
    description: 'Sandboxes for AI agents: the client of a Berth, for Node, Deno, Bun and browsers.',
    license,
    keywords: ['ai', 'agents', 'sandbox'],
    type: 'module',
    sideEffects: false,
    engines: { node: '>=20' },
    exports: {
      '.': { types: './index.d.ts', default: './index.js' },
      './package.json': './package.json',
    },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}
