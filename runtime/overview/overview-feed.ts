import type { Overview } from './overview.ts';
import { type Memories, overviewFor, type Viewer } from './overview-view.ts';
import type { Standing } from './standing.ts';

const EVERY_MS = 1_000;

/** One view, as it was last told: shared by all who see the same. */
interface Told {
  viewer: Viewer;
  text: string;
  listeners: number;
}

/**
 * One look a second serves all who watch, however many they are, and none is taken while nobody does. What each kind
 * of viewer sees is made once from it, and told only when it has changed.
 */
export class OverviewFeed {
  readonly #look: () => Promise<Standing>;
  readonly #memories: Memories;
  readonly #views = new Map<string, Told>();
  #standing: { seen: Standing; at: number } | undefined;
  #looking: Promise<Standing> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #next = Promise.withResolvers<void>();
  #closed = false;

  constructor(look: () => Promise<Standing>, memories: Memories) {
    this.#look = look;
    this.#memories = memories;
  }

  async now(viewer: Viewer): Promise<Overview> {
    return overviewFor(viewer, await this.#seen(EVERY_MS), this.#memories, Date.now());
  }

  /** JSON of what the viewer sees: at once, then whenever it has changed. A slow reader misses what is outdated. */
  async *follow(viewer: Viewer, signal: AbortSignal): AsyncGenerator<string, void> {
    const name = `${viewer.scope} ${viewer.tenant}`;
    const view = this.#views.get(name) ?? { viewer, text: '', listeners: 0 };
    this.#views.set(name, view);
    view.listeners += 1;
    try {
      if (view.text === '') view.text = JSON.stringify(await this.now(viewer));
      this.#goOn();
      for (let told = ''; !signal.aborted && !this.#closed; ) {
        const next = this.#next.promise;
        if (view.text !== told) {
          told = view.text;
          yield told;
        } else await orAborted(next, signal);
      }
    } finally {
      view.listeners -= 1;
      if (view.listeners === 0) this.#views.delete(name);
    }
  }

  /** Ends all streams. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#next.resolve();
  }

  /** Not older than this; all who ask meanwhile wait for the same look. */
  async #seen(withinMs: number): Promise<Standing> {
    const { seen, at } = this.#standing ?? { at: Number.NEGATIVE_INFINITY };
    if (seen !== undefined && performance.now() - at < withinMs) return seen;
    this.#looking ??= this.#look().then((standing) => {
      this.#standing = { seen: standing, at: performance.now() };
      this.#looking = undefined;
      return standing;
    });
    return this.#looking;
  }

  #goOn(): void {
    if (this.#timer !== undefined || this.#closed) return;
    this.#timer = setTimeout(() => void this.#turn(), EVERY_MS);
    this.#timer.unref();
  }

  async #turn(): Promise<void> {
    // One that was taken for a newcomer a moment ago will do.
    const standing = await this.#seen(EVERY_MS / 2);
    const now = Date.now();
    for (const view of this.#views.values()) {
      view.text = JSON.stringify(overviewFor(view.viewer, standing, this.#memories, now));
    }
    this.#next.resolve();
    this.#next = Promise.withResolvers();
    this.#timer = undefined;
    if (this.#views.size > 0) this.#goOn();
  }
}

/** Resolves with either; what was listened for is let go of. */
async function orAborted(promise: Promise<void>, signal: AbortSignal): Promise<void> {
  const aborted = Promise.withResolvers<void>();
  const abort = () => aborted.resolve();
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  await Promise.race([promise, aborted.promise]);
  signal.removeEventListener('abort', abort);
}
