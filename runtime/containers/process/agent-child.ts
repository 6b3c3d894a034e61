import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { BerthError } from '../../contracts/errors.ts';
import { OutputLog, readLog } from './output-log.ts';
import { type ProcessIdentity, readProcessTable } from './process-table.ts';
import type { StartCommand } from './sandbox-command.ts';

const LAST_LINES = 20;
const LOG_WRITTEN_WITHIN_MS = 500;

/** A started agent, in a process group of its own. */
export interface AgentChild {
  identity: ProcessIdentity;
  /** Its exit code. */
  exited: Promise<number>;
}

/** Its output goes to the log. Throws `CONTAINER_CREATE_FAILED`. */
export async function startAgent(command: StartCommand, logPath: string): Promise<AgentChild> {
  const { program, args, cwd, env } = command;
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const logged = new OutputLog(logPath).record([child.stdout, child.stderr]);
  const exited = exitOf(child, logged);
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw new BerthError('CONTAINER_CREATE_FAILED', `${program} can't be started: ${error}`, {}, error);
  }
  // The runtime may end while containers run. A child's pipes are sockets, whatever their type says.
  child.unref();
  for (const pipe of [child.stdout, child.stderr]) (pipe as Socket).unref();
  return { identity: await identityOf(child, logPath, exited), exited };
}

/** A child that has ended is a zombie until Node hears of it, and so has an identity no more. */
async function identityOf(
  child: ChildProcess,
  logPath: string,
  exited: Promise<number>,
): Promise<ProcessIdentity> {
  const found = child.pid === undefined ? undefined : (await readProcessTable()).get(child.pid);
  if (found === undefined) throw await endedEarly(await exited, logPath);
  return { pid: found.pid, started: found.started };
}

async function exitOf(child: ChildProcess, logged: Promise<void>): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  child.once('exit', (code, signal) =>
    resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
  );
  const code = await promise;
  // What it said last is worth a moment; a grandchild may hold the pipe open for longer.
  await Promise.race([logged, sleep(LOG_WRITTEN_WITHIN_MS, undefined, { ref: false })]);
  return code;
}

export async function endedEarly(exitCode: number, logPath: string): Promise<BerthError> {
  const last = (await readLog(logPath, LAST_LINES)).trim();
  const detail = `it ended with exit code ${exitCode} before it was ready${last === '' ? '' : `: ${last}`}`;
  return new BerthError('CONTAINER_CREATE_FAILED', detail);
}
