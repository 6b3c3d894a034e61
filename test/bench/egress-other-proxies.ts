import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/services/free-port.ts';
import { debianProgram } from './egress-debian-program.ts';
import { BenchProcess } from './egress-process.ts';

const HOST = '127.0.0.1';

/** Where a proxy is found and run, and what it is told. It logs nothing and keeps nothing. */
interface OtherProxy {
  readonly program: string;
  readonly inPackage: string;
  readonly options: (file: string) => string[];
  readonly settings: (port: number) => string[];
}

export const tinyproxy: OtherProxy = {
  program: 'tinyproxy',
  inPackage: 'tinyproxy-bin',
  options: (file) => ['-d', '-c', file],
  settings: (port) => [
    `Port ${port}`,
    `Listen ${HOST}`,
    `Allow ${HOST}`,
    'MaxClients 200',
    'Timeout 60',
    'LogLevel Critical',
  ],
};

export const squid: OtherProxy = {
  program: 'squid',
  inPackage: 'squid',
  options: (file) => ['-N', '-f', file],
  settings: (port) => [
    `http_port ${HOST}:${port}`,
    'http_access allow localhost',
    'http_access deny all',
    'cache deny all',
    'access_log none',
    'cache_log /dev/null',
    'cache_store_log none',
    'pid_filename none',
    'netdb_filename none',
    'pinger_enable off',
  ],
};

/** Starts it on a port of loopback, on this core. */
export async function startProxy(
  started: AsyncDisposableStack,
  { program, inPackage, options, settings }: OtherProxy,
  { core, say }: { core: number; say: (line: string) => void },
): Promise<number> {
  const path = await debianProgram(program, inPackage, say);
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  started.defer(() => rmSync(folder, { recursive: true }));
  const file = join(folder, `${program}.conf`);
  const port = await freePort();
  writeFileSync(file, `${settings(port).join('\n')}\n`);
  const process = started.use(new BenchProcess([path, ...options(file)], { core }));
  await process.listensAt({ host: HOST, port });
  return port;
}
