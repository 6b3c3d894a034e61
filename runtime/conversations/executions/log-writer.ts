import { setTimeout as sleep } from 'node:timers/promises';
import { isBerthError } from '../../contracts/errors.ts';
import type { ExecutionName, ExecutionRecord } from '../../contracts/execution-record.ts';
import type { ExecutionStore } from '../../state/execution-store.ts';
import { RELAY_LEASE_SECONDS } from '../conversation-settings.ts';
import { type EventRun, joinRuns } from './event-run.ts';
import type { EventWindow, WindowCursor } from './event-window.ts';

const APPEND_BYTES = 256 * 1024;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;
const RESUMES_IN_A_ROW = 3;

/** Copies an execution's events from the window into the log, as they come and several at a time. */
export class LogWriter {
  readonly #store: ExecutionStore;
  readonly #name: ExecutionName;
  readonly #relay: string;
  readonly #window: EventWindow;
  readonly #cursor: WindowCursor;
  #logged: { agentSeq: number; offset: number };
  #resumes = 0;
  #stopped = false;

  constructor(store: ExecutionStore, execution: ExecutionRecord, relay: string, window: EventWindow) {
    this.#store = store;
    this.#name = execution;
    this.#relay = relay;
    this.#window = window;
    this.#logged = execution;
    this.#cursor = window.enter(this.#lastLogged);
  }

  /** Runs until it is stopped and has written all. Returns `stale` when the execution is another relay's, or has ended. */
  async run(): Promise<'done' | 'stale'> {
    try {
      for (;;) {
        const runs = this.#window.take(this.#cursor, APPEND_BYTES);
        const last = runs.at(-1);
        if (last === undefined) {
          if (this.#stopped || this.#window.state !== 'open') return 'done';
          await this.#window.changed();
        } else if ((await this.#append(runs, last)) === 'stale') {
          return 'stale';
        }
      }
    } finally {
      this.#window.leave(this.#cursor);
    }
  }

  /** `run` returns once what is in the window now is written. */
  stop(): void {
    this.#stopped = true;
    this.#window.wake();
  }

  get #lastLogged(): number {
    return this.#logged.agentSeq + this.#logged.offset;
  }

  async #append(runs: EventRun[], { agentSeq, last }: EventRun): Promise<'done' | 'stale'> {
    const next = { agentSeq, offset: last - agentSeq };
    const request = { ...this.#name, relay: this.#relay, leaseSeconds: RELAY_LEASE_SECONDS, ...next };
    const entries = joinRuns(runs);
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        const result = await this.#store.append({ ...request, after: this.#lastLogged, entries });
        if (result === 'done') {
          this.#logged = next;
          this.#resumes = 0;
          return 'done';
        }
        return (await this.#resume()) ? 'done' : 'stale';
      } catch (error) {
        if (!isAway(error) || (this.#stopped && pause === LONGEST_PAUSE_MS)) throw error;
        await sleep(pause);
      }
    }
  }

  /** An emptied store knows less than was logged: what the window still has is written again from there. */
  async #resume(): Promise<boolean> {
    const again = await this.#store.takeRelay({
      ...this.#name,
      relay: this.#relay,
      leaseSeconds: RELAY_LEASE_SECONDS,
    });
    this.#resumes += 1;
    if (again.kind !== 'taken' || this.#resumes > RESUMES_IN_A_ROW) return false;
    this.#logged = again.execution;
    this.#cursor.id = this.#lastLogged;
    return true;
  }
}

export function isAway(error: unknown): boolean {
  return isBerthError(error, 'STORE_UNAVAILABLE');
}
