/** IPv4 addresses for tasks. One that was given back comes again last of all, or, with `reuse`, first. */
export class AddressPool {
  /** The next task gets the address of the last one that stopped. */
  reuse = false;
  readonly #first: number;
  readonly #count: number;
  readonly #taken = new Set<number>();
  readonly #released: number[] = [];
  #next: number;

  constructor(first: string, count: number, start = 0) {
    this.#first = toNumber(first);
    this.#count = count;
    this.#next = start % count;
  }

  /** Undefined: all are taken. */
  take(): string | undefined {
    const again = this.reuse ? this.#released.pop() : undefined;
    if (again !== undefined) return this.#give(again);
    for (let tried = 0; tried < this.#count; tried += 1) {
      const candidate = this.#first + this.#next;
      this.#next = (this.#next + 1) % this.#count;
      if (this.#taken.has(candidate)) continue;
      const before = this.#released.indexOf(candidate);
      if (before >= 0) this.#released.splice(before, 1);
      return this.#give(candidate);
    }
    return undefined;
  }

  release(address: string): void {
    const number = toNumber(address);
    if (this.#taken.delete(number)) this.#released.push(number);
  }

  #give(number: number): string {
    this.#taken.add(number);
    return toAddress(number);
  }
}

function toNumber(address: string): number {
  return address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
}

function toAddress(number: number): string {
  return [24, 16, 8, 0].map((bits) => (number >>> bits) & 255).join('.');
}
