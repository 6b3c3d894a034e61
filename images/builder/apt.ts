import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { lock } from './file-lock.ts';
import { findProgram } from './find-program.ts';

const run = promisify(execFile);

/** Makes package scripts leave their services stopped: a run starts its own. */
const policyFile = '/usr/sbin/policy-rc.d';
const policy = "#!/bin/sh\n# Berth's tests: no service is started while packages are installed.\nexit 101\n";

/** The program's path, installed first where that is possible; or why it can't be had. */
export async function findOrInstall(
  program: string,
  packages: readonly string[],
  say: (line: string) => void,
): Promise<{ path: string } | { problem: string }> {
  const found = findProgram(program);
  if (found !== undefined) return { path: found };
  if (findProgram('apt-get') === undefined) return { problem: `${program} is not on the path` };
  if (process.getuid?.() !== 0)
    return { problem: `${program} is not on the path, and installing takes root` };
  say(`installing ${packages.join(', ')}`);
  try {
    await install(packages);
  } catch (error) {
    return { problem: `apt-get install ${packages.join(' ')} failed: ${lastLine(error)}` };
  }
  const installed = findProgram(program);
  return installed === undefined ? { problem: `${packages[0]} brought no ${program}` } : { path: installed };
}

/** The mirror of Debian that this machine installs from, if it is one that other programs can read too. */
export async function aptMirror(): Promise<string | undefined> {
  const format = '$(ORIGIN) $(RELEASE) $(REPO_URI)';
  const find = async (): Promise<string | undefined> => {
    const { stdout } = await run('apt-get', ['indextargets', '--format', format]);
    const sources = stdout.split('\n').map((line) => line.split(' '));
    return sources.find(([origin, release]) => origin === 'Debian' && !release?.includes('-'))?.[2];
  };
  let mirror = await find();
  if (mirror === undefined) {
    await aptGet('update');
    mirror = await find();
  }
  return mirror !== undefined && /^(https?|file):/.test(mirror) ? mirror : undefined;
}

/** The proxy that apt is told to use, for programs that don't read apt's settings. */
export async function aptProxy(): Promise<string | undefined> {
  const { stdout } = await run('apt-config', ['shell', 'PROXY', 'Acquire::http::Proxy']);
  return /^PROXY='(.+)'$/m.exec(stdout)?.[1];
}

async function install(packages: readonly string[]): Promise<void> {
  const held = await lock('/run/lock/berth-apt');
  try {
    if (!existsSync(policyFile)) writeFileSync(policyFile, policy, { mode: 0o755 });
    const install = () => aptGet('install', '-y', '--no-install-recommends', ...packages);
    // The lists may be absent or older than what the archive still serves.
    await install().catch(async () => {
      await aptGet('update');
      await install();
    });
  } finally {
    if (existsSync(policyFile) && readFileSync(policyFile, 'utf8') === policy) rmSync(policyFile);
    held.release();
  }
}

async function aptGet(...args: string[]): Promise<void> {
  await run('apt-get', ['-o', 'DPkg::Lock::Timeout=300', ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  });
}

function lastLine(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? `${error.stderr}`.trim() : '';
  return stderr.split('\n').at(-1) || `${error}`;
}
