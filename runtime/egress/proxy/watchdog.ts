/** Something that may not stand still for too long. */
export interface Watched {
  /** Bytes that came and went so far, or any number that changes with them. */
  progress(): number;
  /** How long it may stand still in the state that it is in. */
  patienceMs(): number;
  /** Ends it: it stood still, or its whole time is over. */
  expire(): void;
}

interface Watch {
  seen: number;
  since: number;
  readonly until: number;
}

/** Looks at all that is in work every now and then, so that bytes pass without touching a timer. */
export class Watchdog {
  readonly #watches = new Map<Watched, Watch>();
  readonly #everyMs: number;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(everyMs: number, now: () => number) {
    this.#everyMs = everyMs;
    this.#now = now;
  }

  watch(watched: Watched, totalMs: number = Number.POSITIVE_INFINITY): void {
    const now = this.#now();
    this.#watches.set(watched, { seen: watched.progress(), since: now, until: now + totalMs });
    this.#timer ??= setInterval(() => this.#look(), this.#everyMs).unref();
  }

  forget(watched: Watched): void {
    this.#watches.delete(watched);
  }

  #look(): void {
    const now = this.#now();
    for (const [watched, watch] of this.#watches) {
      const progress = watched.progress();
      if (progress !== watch.seen) {
        watch.seen = progress;
        watch.since = now;
      }
      if (now < watch.until && now - watch.since < watched.patienceMs()) continue;
      this.#watches.delete(watched);
      watched.expire();
    }
    if (this.#watches.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
