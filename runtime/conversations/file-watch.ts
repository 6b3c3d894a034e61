import type { FileChange } from '../contracts/agent-protocol.ts';

/** Files are saved when nothing has changed for this long, */
const SETTLED_MS = 10_000;
/** and at the latest this long after the first change. */
const LATEST_MS = 60_000;

interface Parts {
  open: (signal: AbortSignal) => Promise<AsyncGenerator<FileChange>>;
  /** What changed has settled. */
  settled: () => void;
  /** Nothing is watched any more. */
  closed: () => void;
}

/** Says when a container's files have changed and settled, until it is closed or the container's agent hangs up. */
export class FileWatch {
  readonly #parts: Parts;
  readonly #stop = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #firstChange = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.changed(); // what happened before anybody watched
    void this.#follow();
  }

  changed(): void {
    if (this.#stop.signal.aborted) return;
    const now = performance.now();
    if (this.#timer === undefined) this.#firstChange = now;
    clearTimeout(this.#timer);
    const wait = Math.max(0, Math.min(SETTLED_MS, this.#firstChange + LATEST_MS - now));
    this.#timer = setTimeout(() => this.flush(), wait);
    this.#timer.unref();
  }

  /** Doesn't wait for what changed to settle. */
  flush(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#parts.settled();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stop.abort();
  }

  async #follow(): Promise<void> {
    try {
      for await (const _ of await this.#parts.open(this.#stop.signal)) this.changed();
    } catch {
      // The container ends, or its agent hung up: whoever works in it next watches again.
    }
    if (!this.#stop.signal.aborted) this.flush(); // nobody sees what changes from now on
    this.close();
    this.#parts.closed();
  }
}
