import type { ServerResponse } from 'node:http';
import type { EventLog } from './event-log.ts';
import { EventReader } from './event-reader.ts';
import { heldUntil } from './held-until.ts';

/**
 * Everybody who reads an execution's events. Those that keep up at all hold up its runner before they miss
 * anything; nobody else does, and nobody's leaving stops it.
 */
export class Audience {
  readonly #log: EventLog;
  readonly #readers = new Set<EventReader>();
  readonly #release: () => void;
  #held = false;
  #timer: NodeJS.Timeout | undefined;

  /** Calls `release` when a runner that was held up may go on. */
  constructor(log: EventLog, release: () => void) {
    this.#log = log;
    this.#release = release;
  }

  attach(res: ServerResponse, after: number): void {
    if (res.destroyed) return;
    const reader = new EventReader(res, this.#log, after, () => this.#reconsider());
    this.#readers.add(reader);
    res.on('close', () => {
      this.#readers.delete(reader);
      this.#reconsider();
    });
    reader.send();
  }

  /** Sends what is new; returns whether the runner may go on. */
  tell(): boolean {
    for (const reader of this.#readers) reader.send();
    return this.#mayGoOn();
  }

  #reconsider(): void {
    if (this.#held && this.#mayGoOn()) this.#release();
  }

  /** Half the log is for a reader to be behind; the rest takes what one read of the runner's output may bring. */
  #mayGoOn(): boolean {
    clearTimeout(this.#timer);
    const now = performance.now();
    // Once held up, the runner waits for more room than it was stopped by, not to be stopped by the next read.
    const until = heldUntil(this.#readers, this.#log.limit / (this.#held ? 4 : 2), now);
    this.#held = until !== undefined;
    if (until !== undefined) this.#timer = setTimeout(() => this.#reconsider(), until - now);
    return !this.#held;
  }
}
