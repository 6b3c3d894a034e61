import type { Readable } from 'node:stream';

/** Where a body goes. */
export interface BodyTaker {
  /** False when there is no room for more at present. */
  write(bytes: Buffer): boolean;
  finish(): void;
}

/** Moves a client's body on as far as there is room; what came in crumbs goes on in one piece. */
export class RequestBody {
  readonly #request: Readable;
  #taker: BodyTaker | undefined;
  #full = false;

  /** `broken`: it ends without being whole. */
  constructor(request: Readable, taker: BodyTaker, broken: () => void) {
    this.#request = request;
    this.#taker = taker;
    request.on('readable', () => this.#move());
    request.on('end', () => this.#taker?.finish());
    request.on('error', broken);
  }

  /** There is room again. */
  goOn(): void {
    this.#full = false;
    this.#move();
  }

  /** Nobody takes the rest, which is thrown away as it comes. */
  drop(): void {
    this.#taker = undefined;
    this.goOn();
  }

  #move(): void {
    while (!this.#full) {
      const chunk: Buffer | null = this.#request.read();
      if (chunk === null) return;
      if (this.#taker) this.#full = !this.#taker.write(chunk);
    }
  }
}
