import { setTimeout as sleep } from 'node:timers/promises';
import { BerthError } from '../../contracts/errors.ts';
import type { ExecutionName, ExecutionStatus } from '../../contracts/execution-record.ts';
import type { ExecutionStore } from '../../state/execution-store.ts';
import { type EventLine, fromLogLines, gapLine, ownEvent } from './event-line.ts';
import type { EventWindow } from './event-window.ts';
import { isAway } from './log-writer.ts';

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

  /** Everything after number `after`; what is no longer kept is told as a gap. Returns after the last event. */
  async *follow(name: ExecutionName, after: number, signal: AbortSignal): AsyncGenerator<EventLine[]> {
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
          const lines = withGaps(name, last, value);
          last = lines.at(-1)?.id ?? last;
          yield lines;
        }
      } finally {
        await source.return('look again');
      }
    }
  }

  /** Of an execution whose log has gone: how it ended is known for longer than what it said. */
  async #endAfter(name: ExecutionName, after: number): Promise<EventLine | undefined> {
    const record = await this.#parts.executions.get(name);
    const last = record === undefined ? 0 : record.agentSeq + record.offset;
    if (record === undefined || record.status === 'running' || last <= after) return undefined;
    return ownEvent(name.execution, last, endOf(record.status));
  }

  async *#fromLog(
    name: ExecutionName,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<EventLine[], 'ended' | 'look again'> {
    const { executions } = this.#parts;
    let last = after;
    for (let awaySince: number | undefined; ; ) {
      signal.throwIfAborted();
      try {
        const read = await executions.read(name, last, READ_BYTES);
        awaySince = undefined;
        if (read === undefined) throw notFound(name);
        const lines = read.entries.flatMap(({ lines }) => fromLogLines(lines)).filter(({ id }) => id > last);
        last = lines.at(-1)?.id ?? last;
        if (lines.length > 0) yield lines;
        if (read.ended && lines.length === 0) {
          const end = await this.#endAfter(name, last);
          if (end !== undefined) yield [end];
          return 'ended';
        }
        if (lines.length > 0) continue;
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
): AsyncGenerator<EventLine[], 'ended' | 'look again'> {
  const cursor = window.enter(after);
  const onAbort = () => window.wake();
  signal.addEventListener('abort', onAbort);
  try {
    for (;;) {
      signal.throwIfAborted();
      const { lines } = window.take(cursor, READ_BYTES);
      if (lines.length > 0) yield lines;
      else if (window.state === 'open') await window.changed();
      else return window.state === 'ended' ? 'ended' : 'look again';
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    window.leave(cursor);
  }
}

function withGaps(name: ExecutionName, after: number, lines: EventLine[]): EventLine[] {
  let last = after;
  return lines.flatMap((line) => {
    const gap = line.id > last + 1 ? [gapLine(name.execution, last + 1, line.id - 1)] : [];
    last = line.id;
    return [...gap, line];
  });
}

function endOf(status: Exclude<ExecutionStatus, 'running'>): { type: string } & Record<string, unknown> {
  if (status === 'completed') return { type: 'done', subtype: 'success' };
  const error_type = { failed: 'execution_error', cancelled: 'cancelled', lost: 'container_lost' }[status];
  return { type: 'error', error_type, message: 'its events are no longer kept', recoverable: false };
}

function notFound({ execution }: ExecutionName): BerthError {
  return new BerthError('EXECUTION_NOT_FOUND', `there is no execution ${execution} in this conversation`);
}
