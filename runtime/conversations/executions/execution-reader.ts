import { setTimeout as sleep } from 'node:timers/promises';
import { BerthError } from '../../contracts/errors.ts';
import type { ExecutionName, ExecutionStatus } from '../../contracts/execution-record.ts';
import type { ExecutionStore, LogEntry } from '../../state/execution-store.ts';
import { cutAfter, joinFrames } from './event-run.ts';
import type { EventWindow } from './event-window.ts';
import { isAway } from './log-writer.ts';
import { gapFrame, ownRun } from './write-runs.ts';

const READ_BYTES = 64 * 1024;
const STORE_AWAY_MS = 60_000;
const STORE_PAUSE_MS = 250;

interface Parts {
  executions: ExecutionStore;
  /** The window of an execution that this instance relays; it takes up one that nobody does. */
  windowOf: (name: ExecutionName) => Promise<EventWindow | undefined>;
}

/** Reads an execution's events, as they come, from wherever they are at hand: here, or in the log. */
export class ExecutionReader {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Everything after number `after`, as clients get it; what is no longer kept is told as a gap. Returns after the last. */
  async *follow(name: ExecutionName, after: number, signal: AbortSignal): AsyncGenerator<Buffer> {
    let last = after;
    for (;;) {
      signal.throwIfAborted();
      const window = await this.#parts.windowOf(name);
      const source =
        window === undefined ? this.#fromLog(name, last, signal) : fromWindow(window, last, signal);
      try {
        for (;;) {
          const { value, done } = await source.next();
          if (done === true) {
            if (value === 'ended') return;
            break; // it goes on elsewhere
          }
          yield withGaps(name, last, value);
          last = value.at(-1)?.last ?? last;
        }
      } finally {
        await source.return('look again');
      }
    }
  }

  /** Of an execution whose log has gone: how it ended is known for longer than what it said. */
  async #endAfter(name: ExecutionName, after: number): Promise<LogEntry | undefined> {
    const record = await this.#parts.executions.get(name);
    const last = record === undefined ? 0 : record.agentSeq + record.offset;
    if (record === undefined || record.status === 'running' || last <= after) return undefined;
    return ownRun(name.execution, last, record.agentSeq, endOf(record.status));
  }

  async *#fromLog(
    name: ExecutionName,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<LogEntry[], 'ended' | 'look again'> {
    const { executions } = this.#parts;
    let last = after;
    for (let awaySince: number | undefined; ; ) {
      signal.throwIfAborted();
      try {
        const read = await executions.read(name, last, READ_BYTES);
        awaySince = undefined;
        if (read === undefined) throw notFound(name);
        const runs = runsAfter(read.entries, last);
        last = runs.at(-1)?.last ?? last;
        if (runs.length > 0) yield runs;
        if (read.ended && runs.length === 0) {
          const end = await this.#endAfter(name, last);
          if (end !== undefined) yield [end];
          return 'ended';
        }
        if (runs.length > 0) continue;
        await executions.changed(name, last, signal);
        // Nothing new for a while: perhaps nobody relays it any more.
        if (((await executions.read(name, last, 1))?.entries.length ?? 0) === 0) return 'look again';
      } catch (error) {
        if (!isAway(error)) throw error;
        awaySince ??= performance.now();
        if (performance.now() - awaySince > STORE_AWAY_MS) throw error;
        await sleep(STORE_PAUSE_MS, undefined, { signal });
      }
    }
  }
}

async function* fromWindow(
  window: EventWindow,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<LogEntry[], 'ended' | 'look again'> {
  const cursor = window.enter(after);
  const onAbort = () => window.wake();
  signal.addEventListener('abort', onAbort);
  try {
    for (;;) {
      signal.throwIfAborted();
      const runs = window.take(cursor, READ_BYTES);
      if (runs.length > 0) yield runs;
      else if (window.state === 'open') await window.changed();
      else return window.state === 'ended' ? 'ended' : 'look again';
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    window.leave(cursor);
  }
}

/** What of these comes after that number. */
function runsAfter(entries: readonly LogEntry[], id: number): LogEntry[] {
  return entries.filter(({ last }) => last > id).map((entry) => cutAfter(entry, id));
}

function withGaps({ execution }: ExecutionName, after: number, runs: readonly LogEntry[]): Buffer {
  const pieces: Buffer[] = [];
  let last = after;
  for (const run of runs) {
    if (run.first > last + 1) pieces.push(gapFrame(execution, last + 1, run.first - 1));
    pieces.push(run.frames);
    last = run.last;
  }
  return joinFrames(pieces);
}

function endOf(status: Exclude<ExecutionStatus, 'running'>): { type: string } & Record<string, unknown> {
  if (status === 'completed') return { type: 'done', subtype: 'success' };
  const error_type = { failed: 'execution_error', cancelled: 'cancelled', lost: 'container_lost' }[status];
  return { type: 'error', error_type, message: 'its events are no longer kept', recoverable: false };
}

function notFound({ execution }: ExecutionName): BerthError {
  return new BerthError('EXECUTION_NOT_FOUND', `there is no execution ${execution} in this conversation`);
}
