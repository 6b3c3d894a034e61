/** A look costs at most a twentieth of the time. */
const SHARE = 20;
/** Whoever waits for it goes on with what is known after this long. */
const PATIENCE_MS = 2_000;

/** Something that is looked at again and again, and not more often than it may cost. Never twice at once. */
export class PacedLook<Value> {
  readonly name: string;
  readonly #look: () => Promise<Value>;
  readonly #everyMs: number;
  #value: Value | undefined;
  #stale = true;
  #dueAt = 0;
  #under: Promise<void> | undefined;

  constructor(name: string, everyMs: number, look: () => Promise<Value>) {
    this.name = name;
    this.#everyMs = everyMs;
    this.#look = look;
  }

  /** As it was last seen. */
  get value(): Value | undefined {
    return this.#value;
  }

  /** The last look failed, or is not over yet. */
  get isStale(): boolean {
    return this.#stale;
  }

  /** Looks if it is time to, and resolves when that is over, or takes too long. */
  async refresh(): Promise<void> {
    if (this.#under === undefined && performance.now() >= this.#dueAt) this.#under = this.#takeLook();
    if (this.#under === undefined) return;
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      this.#stale = true;
      late.resolve();
    }, PATIENCE_MS);
    await Promise.race([this.#under, late.promise]);
    clearTimeout(timer);
  }

  async #takeLook(): Promise<void> {
    const began = performance.now();
    try {
      this.#value = await this.#look();
      this.#stale = false;
    } catch {
      this.#stale = true; // who shows it says so; why, the readiness of what it stands on tells
    }
    const now = performance.now();
    this.#dueAt = Math.max(began + this.#everyMs, now + SHARE * (now - began));
    this.#under = undefined;
  }
}
