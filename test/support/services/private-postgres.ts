import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { endProcess, isAlive, type ProcessRecord, startDaemon } from './daemon.ts';
import { freePort } from './free-port.ts';
import { recordEnding } from './run-folder.ts';

const run = promisify(execFile);

/** A Postgres that belongs to its caller, who may stop, pause or restart it. */
export interface PrivatePostgres {
  readonly url: string;
  readonly port: number;
  /** SIGSTOP of every one of its processes: connections stay open and nothing answers. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Ends it at once, as a crash does. `start` brings it back on the same port, with its data. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

/** Nobody needs what a test run wrote after a power failure. */
const QUICK = ['fsync=off', 'full_page_writes=off'];

export async function startPrivatePostgres(programs: string, parent: string): Promise<PrivatePostgres> {
  const port = await freePort();
  const folder = join(parent, `postgres-${port}`);
  mkdirSync(folder, { recursive: true });
  const asUser = await ordinaryUser(parent, folder);
  const data = join(folder, 'data');
  const [program, ...args] = [...asUser, join(programs, 'initdb')];
  await run(program ?? '', [
    ...args,
    '-D',
    data,
    '-U',
    'berth',
    '--auth=trust',
    '--no-sync',
    '-E',
    'UTF8',
    '--locale=C',
  ]);
  const recordFile = join(parent, `postgres-${port}${recordEnding}`);
  const url = `postgres://berth@127.0.0.1:${port}/postgres`;
  let record: ProcessRecord;
  const start = async (): Promise<void> => {
    const [first = '', ...rest] = [...asUser, join(programs, 'postgres')];
    record = await startDaemon({
      command: [
        first,
        ...rest,
        ...['-D', data, '-h', '127.0.0.1', '-p', `${port}`, '-k', ''],
        ...QUICK.flatMap((setting) => ['-c', setting]),
      ],
      logFile: join(folder, 'postgres.log'),
      recordFile,
      ready: () => postgresAnswers(url),
      readyWithinMs: 30_000,
    });
  };
  await start();
  const signal = async (name: NodeJS.Signals): Promise<void> => {
    process.kill(record.pid, name);
    for (const pid of await childrenOf(record.pid)) {
      try {
        process.kill(pid, name);
      } catch {} // it ended with its connection
    }
  };
  return {
    url,
    port,
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async stop() {
      if (isAlive(record)) {
        await signal('SIGCONT');
        process.kill(record.pid, 'SIGQUIT');
      }
      await endProcess(record, 5_000);
      rmSync(recordFile, { force: true });
    },
    start,
  };
}

export async function postgresAnswers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => {}); // told by the query
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
}

/** It refuses to run as root: then it is nobody, who may pass through the run's folder and owns a part of it. */
export async function ordinaryUser(parent: string, folder: string): Promise<string[]> {
  if (process.getuid?.() !== 0) return [];
  const [user, group] = await Promise.all(['-u', '-g'].map((of) => run('id', [of, 'nobody'])));
  const [uid, gid] = [Number(user?.stdout), Number(group?.stdout)];
  chmodSync(parent, 0o711);
  chownSync(folder, uid, gid);
  return ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
}

async function childrenOf(pid: number): Promise<number[]> {
  const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', `${pid}`]).catch(() => ({ stdout: '' }));
  return stdout.split('\n').filter(Boolean).map(Number);
}
