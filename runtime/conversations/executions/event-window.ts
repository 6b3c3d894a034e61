import { cutAfter, type EventRun } from './event-run.ts';

/** What a window keeps, as the log does. */
const WINDOW_BYTES = 1024 * 1024;
/** A reader may hold up the execution only while it takes this many bytes in this time: 1 MiB a second. */
const PACE_BYTES = 256 * 1024;
const PACE_MS = 250;
/** Runs may be as short as one event, and each has its price in the log. */
const RUNS_AT_ONCE = 512;

/** How far someone has read. */
export class WindowCursor {
  /** The number of the last event it has. */
  id: number;
  /** When it was last seen to take enough to be waited for. */
  pacedAt = performance.now();
  taken = 0;

  constructor(id: number) {
    this.id = id;
  }
}

/**
 * The latest events of an execution that this instance relays, for any number of readers beside each other. It is
 * bounded: what a slow reader has not taken in time is gone for it.
 */
export class EventWindow {
  readonly #capacity: number;
  readonly #kept: EventRun[] = [];
  #bytes = 0;
  #state: 'open' | 'ended' | 'lost' = 'open';
  readonly #cursors = new Set<WindowCursor>();
  #waiting: (() => void)[] = [];
  #taken = Promise.withResolvers<void>();

  constructor(capacity = WINDOW_BYTES) {
    this.#capacity = capacity;
  }

  /** `ended`: nothing follows. `lost`: this instance no longer relays; what follows is in the log. */
  get state(): 'open' | 'ended' | 'lost' {
    return this.#state;
  }

  add(runs: readonly EventRun[]): void {
    for (const run of runs) {
      this.#kept.push(run);
      this.#bytes += run.frames.length;
    }
    while (this.#bytes > this.#capacity && this.#kept.length > 1) {
      this.#bytes -= this.#kept.shift()?.frames.length ?? 0;
    }
    this.wake();
  }

  close(state: 'ended' | 'lost'): void {
    if (this.#state === 'open') this.#state = state;
    this.wake();
    this.#taken.resolve();
  }

  /** A reader that has everything up to number `id`, until it leaves. */
  enter(id: number): WindowCursor {
    const cursor = new WindowCursor(id);
    this.#cursors.add(cursor);
    return cursor;
  }

  leave(cursor: WindowCursor): void {
    this.#cursors.delete(cursor);
    this.#taken.resolve();
  }

  /** The next events, about `maxBytes` of them, oldest first; none when there are none. Moves the cursor. */
  take(cursor: WindowCursor, maxBytes: number): EventRun[] {
    const runs: EventRun[] = [];
    let bytes = 0;
    for (let at = this.#indexAfter(cursor.id); bytes < maxBytes && runs.length < RUNS_AT_ONCE; at += 1) {
      const kept = this.#kept[at];
      if (kept === undefined) break;
      const run = cutAfter(kept, cursor.id);
      runs.push(run);
      bytes += run.frames.length;
      cursor.id = run.last;
    }
    this.#count(cursor, bytes);
    return runs;
  }

  /** Whether something follows what the cursor has. */
  hasAfter(id: number): boolean {
    return (this.#kept.at(-1)?.last ?? 0) > id;
  }

  /** Resolves at the next event, at the end, or when someone wakes who waits. */
  changed(): Promise<void> {
    if (this.#state !== 'open') return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** For who waits and has another reason to look up. */
  wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Waits for readers that are behind but take enough to be waited for. */
  async pace(): Promise<void> {
    while (this.#state === 'open' && this.#isHeldUp()) {
      this.#taken = Promise.withResolvers();
      const timer = setTimeout(this.#taken.resolve, PACE_MS);
      await this.#taken.promise;
      clearTimeout(timer);
    }
  }

  #isHeldUp(): boolean {
    const now = performance.now();
    for (const cursor of this.#cursors) {
      if (this.#behind(cursor) * 2 <= this.#capacity) cursor.pacedAt = now;
      else if (now - cursor.pacedAt < PACE_MS) return true;
    }
    return false;
  }

  #behind(cursor: WindowCursor): number {
    const next = this.#kept[0];
    if (next === undefined || !this.hasAfter(cursor.id)) return 0;
    if (cursor.id < next.first) return this.#bytes;
    const at = this.#indexAfter(cursor.id);
    let bytes = 0;
    for (let i = at; i < this.#kept.length && bytes * 2 <= this.#capacity; i += 1)
      bytes += this.#kept[i]?.frames.length ?? 0;
    return bytes;
  }

  #count(cursor: WindowCursor, bytes: number): void {
    if (bytes === 0) return;
    cursor.taken += bytes;
    if (cursor.taken >= PACE_BYTES) {
      cursor.taken = 0;
      cursor.pacedAt = performance.now();
    }
    this.#taken.resolve();
  }

  /** Numbers only grow: found by halving. */
  #indexAfter(id: number): number {
    let [low, high] = [0, this.#kept.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#kept[middle]?.last ?? 0) <= id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
