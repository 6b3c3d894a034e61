import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../../../images/builder/cache-folder.ts';
import { lock } from '../../../../images/builder/file-lock.ts';
import { freePort } from '../../../support/services/free-port.ts';
import { BenchProcess } from '../../egress-process.ts';

const NAME = 'configurable-http-proxy';
/** It, and what carries the bytes for it. */
const PACKAGES = { [NAME]: '5.3.0', 'http-proxy-3': '1.23.3' };

/** JupyterHub's proxy, which leads to the notebooks of its users, on a port of loopback. */
export async function startOtherProxy(
  started: AsyncDisposableStack,
  target: number,
  say: (line: string) => void,
): Promise<{ port: number; pid: number }> {
  const program = await install(say);
  const port = await freePort();
  const args = ['--ip', '127.0.0.1', '--port', `${port}`, '--api-port', `${await freePort()}`];
  const quiet = ['--log-level', 'error'];
  const command = [process.execPath, program, ...args, ...quiet];
  const child = started.use(new BenchProcess([...command, '--default-target', `http://127.0.0.1:${target}`]));
  await child.listensAt({ host: '127.0.0.1', port });
  return { port, pid: child.pid };
}

/** From the registry that npm is set to, into the cache, once for its versions; none of their scripts is run. */
async function install(say: (line: string) => void): Promise<string> {
  const folder = cacheFolder('bench', `${NAME}-${Object.values(PACKAGES).join('-')}`);
  const program = join(folder, 'node_modules', NAME, 'bin', NAME);
  const held = await lock(`${folder}.lock`);
  try {
    const complete = join(folder, 'complete');
    if (existsSync(complete)) return program;
    say(`getting ${NAME}, which the proxy of workspaces is measured against`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: PACKAGES }));
    await promisify(execFile)('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
    });
    writeFileSync(complete, '');
    return program;
  } finally {
    held.release();
  }
}
