/** Something that may not stand still for too long. */
export interface Watched {
  /** Bytes that came and went so far, or any number that changes with them. */
  progress(): number;
  /** How long it may stand still in the state that it is in. */
  patienceMs(): number;
  /** Ends it: it stood still, or its whole time is over. */
  expire(): void;
}

/** One that is being watched, and where it stands in the list. */
export interface Watch {
  readonly watched: Watched;
  readonly until: number;
  seen: number;
  since: number;
  at: number;
}

/**
 * Looks at all that is in work every now and then, so that bytes pass without touching a timer. In a list: a map that
 * gains and loses an entry with every request keeps what is long over from being collected.
 */
export class Watchdog {
  readonly #watches: Watch[] = [];
  readonly #everyMs: number;
  readonly #now: () => number;
  #timer: NodeJS.Timeout | undefined;

  constructor(everyMs: number, now: () => number) {
    this.#everyMs = everyMs;
    this.#now = now;
  }

  watch(watched: Watched, totalMs: number = Number.POSITIVE_INFINITY): Watch {
    const now = this.#now();
    const at = this.#watches.length;
    const watch = { watched, seen: watched.progress(), since: now, until: now + totalMs, at };
    this.#watches.push(watch);
    this.#timer ??= setInterval(() => this.#look(), this.#everyMs).unref();
    return watch;
  }

  /** The last takes its place. One that was forgotten already: fine. */
  forget(watch: Watch): void {
    if (this.#watches[watch.at] !== watch) return;
    const last = this.#watches.pop();
    if (last === undefined || last === watch) return;
    last.at = watch.at;
    this.#watches[watch.at] = last;
  }

  #look(): void {
    const now = this.#now();
    for (const watch of [...this.#watches]) {
      const { watched } = watch;
      const progress = watched.progress();
      if (progress !== watch.seen) {
        watch.seen = progress;
        watch.since = now;
      }
      if (now < watch.until && now - watch.since < watched.patienceMs()) continue;
      this.forget(watch);
      watched.expire();
    }
    if (this.#watches.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
