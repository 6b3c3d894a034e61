/** Stands still until it is moved. */
export class ManualClock {
  #now = Date.UTC(2026, 10, 16, 12);

  now(): number {
    return this.#now;
  }

  advance(seconds: number): void {
    this.#now += seconds * 1_000;
  }
}
