import { execFileSync, spawn } from 'node:child_process';
import { existsSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** A process that a run started, told apart from a later one of the same pid by its start time. */
export interface ProcessRecord {
  readonly pid: number;
  readonly startedAt: string;
}

export interface DaemonOptions {
  readonly command: readonly [string, ...string[]];
  readonly logFile: string;
  /** Where the record is kept for a run that has to clear up after this one. */
  readonly recordFile: string;
  ready(): Promise<boolean>;
  readonly readyWithinMs: number;
}

/** Starts a daemon in a session of its own, so that Ctrl-C reaches the run and not the daemon. */
export async function startDaemon(options: DaemonOptions): Promise<ProcessRecord> {
  const log = openSync(options.logFile, 'a');
  const [program, ...args] = options.command;
  const child = spawn(program, args, { detached: true, stdio: ['ignore', log, log] });
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  const record = await Promise.race([failed, recordOf(child.pid)]);
  writeFileSync(options.recordFile, JSON.stringify(record));
  child.unref();
  const deadline = Date.now() + options.readyWithinMs;
  while (!(await options.ready())) {
    const ended = child.exitCode !== null || child.signalCode !== null;
    if (ended || Date.now() > deadline) {
      await endProcess(record);
      rmSync(options.recordFile, { force: true });
      const what = ended ? 'ended at once' : `was not ready in ${options.readyWithinMs / 1000} s`;
      throw new Error(`${program} ${what}. Its log ends with:\n${logTail(options.logFile)}`);
    }
    await sleep(50);
  }
  return record;
}

/** Ends the recorded process, gently first. A pid that now belongs to another process is left alone. */
export async function endProcess(record: ProcessRecord, graceMs = 10_000): Promise<void> {
  for (const [signal, waitMs] of [
    ['SIGTERM', graceMs],
    ['SIGKILL', 5_000],
  ] as const) {
    if (!isAlive(record)) return;
    process.kill(record.pid, signal);
    const deadline = Date.now() + waitMs;
    while (isAlive(record) && Date.now() < deadline) await sleep(20);
  }
}

/** Ends what a record on disk names, if it still runs, and forgets it. */
export async function endRecorded(recordFile: string, graceMs?: number): Promise<void> {
  const record = readRecord(recordFile);
  if (record !== undefined) await endProcess(record, graceMs);
  rmSync(recordFile, { force: true });
}

export function isAlive(record: ProcessRecord): boolean {
  return startTime(record.pid) === record.startedAt;
}

export function logTail(file: string, lines = 20): string {
  if (!existsSync(file)) return '(empty)';
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n') || '(empty)';
}

async function recordOf(pid: number | undefined): Promise<ProcessRecord> {
  // Without a pid the spawn failed, and the child's `error` event says why.
  if (pid === undefined) return new Promise<never>(() => {});
  return { pid, startedAt: startTime(pid) ?? 'ended' };
}

function readRecord(file: string): ProcessRecord | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const { pid, startedAt } = JSON.parse(readFileSync(file, 'utf8'));
    return Number.isInteger(pid) && typeof startedAt === 'string' ? { pid, startedAt } : undefined;
  } catch {
    return undefined; // cut off while it was written: there is nothing to go by
  }
}

/** Boot and ticks since boot where there is /proc; undefined for a process that is gone or a zombie. */
function startTime(pid: number): string | undefined {
  try {
    if (process.platform !== 'linux') return startTimeByPs(pid);
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    if (fields[0] === 'Z' || fields[19] === undefined) return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${fields[19]}`;
  } catch {
    return undefined;
  }
}

function startTimeByPs(pid: number): string | undefined {
  const [state, ...started] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', `${pid}`], {
    encoding: 'utf8',
  })
    .trim()
    .split(/\s+/);
  return state === undefined || state.startsWith('Z') ? undefined : started.join(' ');
}
