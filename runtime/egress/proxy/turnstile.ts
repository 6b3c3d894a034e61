/** Lets so many through at once; the others wait in line. */
export class Turnstile {
  readonly #places: number;
  readonly #line: (() => void)[] = [];
  #inside = 0;

  constructor(places: number) {
    this.#places = places;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#inside < this.#places) this.#inside += 1;
    else await new Promise<void>((resolve) => this.#line.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      if (next) next();
      else this.#inside -= 1;
    }
  }
}
