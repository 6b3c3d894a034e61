import { mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { endProcess, type ProcessRecord, startDaemon } from './daemon.ts';
import { freePort } from './free-port.ts';
import { recordEnding } from './run-folder.ts';

/** A Redis that belongs to its caller, who may stop, pause or restart it. It keeps nothing on disk. */
export interface PrivateRedis {
  readonly url: string;
  readonly port: number;
  /** SIGSTOP: connections stay open and nothing answers. */
  pause(): void;
  resume(): void;
  /** Ends it. `start` brings an empty one back on the same port, under another run id. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

export async function startPrivateRedis(program: string, parent: string): Promise<PrivateRedis> {
  const port = await freePort();
  const folder = join(parent, `redis-${port}`);
  mkdirSync(folder, { recursive: true });
  const recordFile = join(parent, `redis-${port}${recordEnding}`);
  let record: ProcessRecord;
  const start = async (): Promise<void> => {
    record = await startDaemon({
      command: [
        program,
        ...['--bind', '127.0.0.1', '--port', `${port}`, '--dir', folder],
        ...['--save', '', '--appendonly', 'no'],
      ],
      logFile: join(folder, 'redis.log'),
      recordFile,
      ready: () => redisAnswers(`redis://127.0.0.1:${port}`),
      readyWithinMs: 120_000,
    });
  };
  await start();
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    pause: () => process.kill(record.pid, 'SIGSTOP'),
    resume: () => process.kill(record.pid, 'SIGCONT'),
    async stop() {
      await endProcess(record, 1_000);
      rmSync(recordFile, { force: true });
    },
    start,
  };
}

/** Whether a Redis speaks there: any answer to PING does, even that it wants a password. */
export async function redisAnswers(url: string, withinMs = 2_000): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host: hostname, port: Number(port || 6379) });
  socket.setTimeout(withinMs, () => resolve(false));
  socket.on('error', () => resolve(false));
  // Behind TLS the greeting is the server's to refuse; an open port has to do.
  socket.on('connect', () => (protocol === 'rediss:' ? resolve(true) : socket.write('PING\r\n')));
  socket.on('data', (data) => resolve(/^[+-]/.test(data.toString())));
  return promise.finally(() => socket.destroy());
}
