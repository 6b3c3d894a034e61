import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../images/builder/cache-folder.ts';
import { lock } from '../../../images/builder/file-lock.ts';
import { nothingToStop, type Service } from './service.ts';

const run = promisify(execFile);

interface Runtime {
  name: 'bun' | 'deno';
  version: string;
  /** By architecture: the package on npm that is nothing but the program. */
  packages: Partial<Record<NodeJS.Architecture, string>>;
  /** Where the program is in it. */
  program: string;
  variable: string;
}

export const bun = service({
  name: 'bun',
  version: '1.4.4',
  packages: { x64: '@oven/bun-linux-x64', arm64: '@oven/bun-linux-aarch64' },
  program: 'bin/bun',
  variable: 'TEST_BUN',
});

export const deno = service({
  name: 'deno',
  version: '2.9.6',
  packages: { x64: '@deno/linux-x64-glibc', arm64: '@deno/linux-arm64-glibc' },
  program: 'deno',
  variable: 'TEST_DENO',
});

/** From npm into the cache, once: too large to be installed with every `npm ci`. */
function service({ name, version, packages, program, variable }: Runtime): Service {
  return {
    name,
    neededBy: `the client under ${name}`,
    remedy: 'let npm reach a registry',
    async start({ say }) {
      const from = packages[process.arch];
      if (from === undefined) return { missing: `there is no ${name} for ${process.arch}` };
      const folder = join(cacheFolder(name), version);
      const found = { env: { [variable]: join(folder, program) }, stop: nothingToStop };
      const held = await lock(join(cacheFolder(name), 'lock'), () =>
        say(`waiting for another run to get ${name}`),
      );
      try {
        if (existsSync(folder)) return found;
        say(`getting ${name} ${version}`);
        await unpack(`${from}@${version}`, folder);
        return found;
      } catch (error) {
        return { missing: `${name} could not be had: ${error instanceof Error ? error.message : error}` };
      } finally {
        held.release();
      }
    },
  };
}

/** The folder is there whole, or not at all. */
async function unpack(wanted: string, folder: string): Promise<void> {
  const partial = mkdtempSync(`${folder}-`);
  try {
    const { stdout } = await run('npm', ['pack', '--silent', '--ignore-scripts', wanted], { cwd: partial });
    const content = join(partial, 'content');
    mkdirSync(content);
    const tarball = stdout.trim().split('\n').at(-1) ?? '';
    await run('tar', ['-xzf', tarball, '-C', content, '--strip-components=1'], { cwd: partial });
    renameSync(content, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
}
