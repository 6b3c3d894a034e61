import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import type Docker from 'dockerode';
import { aptMirror, aptProxy, findOrInstall } from './apt.ts';
import { cacheFolder } from './cache-folder.ts';
import { followProgress, imageId } from './engine.ts';
import { lock } from './file-lock.ts';
import { ourPackage } from './our-package.ts';
import { workspacePackages } from './recipes.ts';

const run = promisify(execFile);
const suite = 'bookworm';
const npmVersion = '11.21.1';
/** Raised when the steps below change in a way that the rest of the recipe does not show. */
const revision = 1;
const wayOut =
  'Give the engine a base of its own (docker load) and name it in BASE_IMAGE: Debian with apt, Node 24 and npm. Or run this as root on Debian.';

export function debianBaseTag(): string {
  const node = `node-linux-${process.arch}@${ourPackage.optionalDependencies[`node-linux-${process.arch}`]}`;
  const recipe = [suite, npmVersion, revision, node, ...workspacePackages()];
  return `berth-base:${createHash('sha256').update(recipe.join('\n')).digest('hex').slice(0, 12)}`;
}

/** Makes the base image out of Debian's packages, the Node that npm installed here, and npm. */
export async function makeDebianBase(engine: Docker, say: (line: string) => void): Promise<void> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    throw new Error(`No base image can be pulled, and making one takes root on Debian. ${wayOut}`);
  }
  const debootstrap = await findOrInstall('debootstrap', ['debootstrap', 'debian-archive-keyring'], say);
  if ('problem' in debootstrap)
    throw new Error(`No base image can be made: ${debootstrap.problem}. ${wayOut}`);
  const held = await lock(join(cacheFolder('base'), 'lock'), () =>
    say('another process makes the base image: waiting'),
  );
  // In the cache and not in the temporary folder, which may forbid programs and devices.
  const root = join(cacheFolder('base'), 'root');
  try {
    if ((await imageId(engine, debianBaseTag())) !== undefined) return;
    say(`making a base image from Debian's packages: a minute or two, once`);
    await removeTree(root);
    await bootstrap(debootstrap.path, root, say);
    await addNode(root);
    await importTree(engine, root);
  } finally {
    await removeTree(root);
    held.release();
  }
}

/** Leaves alone what may be mounted there. */
async function removeTree(root: string): Promise<void> {
  await run('rm', ['-rf', '--one-file-system', root]);
}

async function bootstrap(program: string, root: string, say: (line: string) => void): Promise<void> {
  const mirror = await aptMirror();
  const proxy = await aptProxy();
  const args = ['--variant=minbase', `--include=${workspacePackages().join(',')}`, suite, root];
  // What debootstrap mounts goes with its namespace, however it ends.
  const child = spawn('unshare', ['--mount', program, ...args, ...(mirror === undefined ? [] : [mirror])], {
    env: { ...(proxy === undefined ? {} : { http_proxy: proxy }), ...process.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let last = '';
  const ticker = setInterval(() => say(`  ${last}`), 10_000);
  createInterface({ input: child.stdout }).on('line', (line) => {
    last = line.replace(/^I: /, '');
  });
  const [code] = await once(child, 'close').finally(() => clearInterval(ticker));
  if (code !== 0) {
    const log = join(root, 'debootstrap', 'debootstrap.log');
    const why = existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n').at(-1) : last;
    throw new Error(`debootstrap ended with ${code}: ${why}. ${wayOut}`);
  }
  for (const leftover of [
    ...['etc/resolv.conf', 'etc/hostname', 'var/cache/apt/archives', 'var/lib/apt/lists', 'var/log'],
    ...['usr/share/doc', 'usr/share/man', 'usr/share/info', 'usr/share/locale'],
  ]) {
    rmSync(join(root, leftover), { recursive: true, force: true });
  }
  for (const needed of ['var/cache/apt/archives/partial', 'var/lib/apt/lists/partial', 'var/log']) {
    mkdirSync(join(root, needed), { recursive: true });
  }
}

async function addNode(root: string): Promise<void> {
  const node = createRequire(import.meta.url).resolve(`node-linux-${process.arch}/package.json`);
  copyFileSync(join(dirname(node), 'bin', 'node'), join(root, 'usr/local/bin/node'));
  const packed = cacheFolder('npm');
  const archive = join(packed, `npm-${npmVersion}.tgz`);
  if (!existsSync(archive)) {
    const partial = cacheFolder('npm', 'partial');
    await run('npm', ['pack', `npm@${npmVersion}`, '--pack-destination', partial]);
    renameSync(join(partial, basename(archive)), archive);
  }
  const folder = join(root, 'usr/local/lib/node_modules/npm');
  mkdirSync(folder, { recursive: true });
  await run('tar', ['-xzf', archive, '-C', folder, '--strip-components=1', '--no-same-owner']);
  for (const program of ['npm', 'npx']) {
    symlinkSync(`../lib/node_modules/npm/bin/${program}-cli.js`, join(root, 'usr/local/bin', program));
  }
}

async function importTree(engine: Docker, root: string): Promise<void> {
  const tar = spawn('tar', ['-C', root, '--numeric-owner', '-c', '.'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(tar, 'close');
  const [repo, tag] = debianBaseTag().split(':');
  await followProgress(await engine.importImage(tar.stdout, { repo, tag }));
  const [code] = await ended;
  if (code === 0) return;
  await engine.getImage(debianBaseTag()).remove({ force: true });
  throw new Error(`tar ended with ${code}`);
}
