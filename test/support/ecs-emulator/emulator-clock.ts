interface Sleeper {
  readonly due: number;
  readonly wake: () => void;
  timer?: NodeJS.Timeout;
}

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The emulator's time: every delay, rate and retention goes by it. It runs `speed` times as fast as the wall's. */
export class EmulatorClock {
  readonly speed: number;
  readonly #wallStart = Date.now();
  readonly #ticksStart = performance.now();
  readonly #sleepers = new Set<Sleeper>();
  #skipped = 0;

  constructor(speed = 1) {
    if (!(speed > 0)) throw new Error(`A clock's speed is a number above 0, not ${speed}.`);
    this.speed = speed;
  }

  /** Milliseconds since 1970; the same as the wall's at the start. */
  now(): number {
    return this.#wallStart + (performance.now() - this.#ticksStart) * this.speed + this.#skipped;
  }

  /** When something happened by this clock that the wall's time is known of; time that was skipped does not count. */
  fromWall(wallMs: number): number {
    return this.#wallStart + (wallMs - this.#wallStart) * this.speed;
  }

  /** Skips time: whatever is due by then happens at once. */
  advance(ms: number): void {
    this.#skipped += ms;
    for (const sleeper of this.#sleepers) this.#arm(sleeper);
  }

  /** Resolves after `ms` of this clock, or as soon as the signal is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const sleeper: Sleeper = {
      due: this.now() + ms,
      wake: () => {
        clearTimeout(sleeper.timer);
        this.#sleepers.delete(sleeper);
        signal?.removeEventListener('abort', sleeper.wake);
        resolve();
      },
    };
    signal?.addEventListener('abort', sleeper.wake, { once: true });
    this.#sleepers.add(sleeper);
    this.#arm(sleeper);
    return promise;
  }

  #arm(sleeper: Sleeper): void {
    clearTimeout(sleeper.timer);
    const left = (sleeper.due - this.now()) / this.speed;
    sleeper.timer = setTimeout(
      () => (this.now() >= sleeper.due ? sleeper.wake() : this.#arm(sleeper)),
      Math.min(Math.max(0, left), LONGEST_TIMER_MS),
    );
  }
}
