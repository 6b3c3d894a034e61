import { execFile } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findOrInstall } from '../../../images/builder/apt.ts';
import { cacheFolder } from '../../../images/builder/cache-folder.ts';
import { lock } from '../../../images/builder/file-lock.ts';
import { nothingToStop, type Service } from './service.ts';

const run = promisify(execFile);
const requirements = fileURLToPath(new URL('moto-requirements.txt', import.meta.url));

/** A Python that has moto, which stands in for S3: for the run's own server, and for tests of that server. */
export const moto: Service = {
  name: 'moto',
  neededBy: 'the S3 of the run, unless TEST_S3_ENDPOINT names one',
  remedy: 'put python3 (3.10 or later, with venv) on the path, and let pip reach an index of packages',
  async start({ say }) {
    const python = await findOrInstall('python3', ['python3', 'python3-venv'], say);
    if ('problem' in python) return { missing: python.problem };
    const version = await versionOf(python.path);
    if (version === undefined) return { missing: 'python3 is older than 3.10' };
    const held = await lock(join(cacheFolder(), 'moto.lock'), () =>
      say('waiting for another run to get moto'),
    );
    try {
      return await environment(python.path, version, say);
    } finally {
      held.release();
    }
  },
};

/** The environment in the cache; made anew where it is half made, of other versions, or its Python is gone. */
async function environment(
  python: string,
  version: string,
  say: (line: string) => void,
): ReturnType<Service['start']> {
  const folder = cacheFolder('moto');
  const program = join(folder, 'bin', 'python');
  const found = { env: { TEST_MOTO_PYTHON: program }, stop: nothingToStop };
  const complete = join(folder, 'complete');
  const wanted = `${version}\n${readFileSync(requirements, 'utf8')}`;
  const made = existsSync(complete) && readFileSync(complete, 'utf8') === wanted;
  if (made && (await versionOf(program)) === version) return found;

  say('getting moto, which stands in for S3, into an environment of its own');
  rmSync(folder, { recursive: true, force: true });
  try {
    const hasVenv = await succeeds(python, ['-c', 'import ensurepip, venv']);
    if (hasVenv) await run(python, ['-m', 'venv', folder]);
    else {
      // Debian's package of venv brings no program to look for; this one brings all that is needed.
      const virtualenv = await findOrInstall('virtualenv', ['virtualenv'], say);
      if ('problem' in virtualenv) return { missing: `python3 has no venv, and ${virtualenv.problem}` };
      await run(virtualenv.path, ['--python', python, folder]);
    }
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', requirements];
    await run(program, pip, { maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    return { missing: `moto could not be installed: ${lastLine(error)}` };
  }
  writeFileSync(complete, wanted);
  return found;
}

/** Undefined for one that is too old for moto, or does not run. */
async function versionOf(python: string): Promise<string | undefined> {
  const script = 'import sys; print(sys.version.split()[0]) if sys.version_info >= (3, 10) else sys.exit(1)';
  return run(python, ['-c', script]).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

async function succeeds(program: string, args: string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}

function lastLine(error: unknown): string {
  const stderr = error instanceof Error && 'stderr' in error ? `${error.stderr}`.trim() : '';
  return stderr.split('\n').at(-1) || `${error}`;
}
