import type { OnReadOpts } from 'node:net';

/** One for all: a read ends before the next begins, and nobody keeps what is in it. */
const ROOM = Buffer.allocUnsafeSlow(64 * 1024);

/** What a plain connection reads, without memory of its own for that. */
export class SharedRead {
  readonly #options: OnReadOpts;
  #take: ((bytes: Buffer) => boolean) | undefined;
  #early = false;

  constructor() {
    this.#options = {
      buffer: ROOM,
      callback: (length) => {
        if (this.#take) return this.#take(ROOM.subarray(0, length));
        this.#early = true;
        return false;
      },
    };
  }

  /** For the one connection that it is for. */
  get options(): OnReadOpts {
    return this.#options;
  }

  /** Something was sent before anybody asked. */
  get early(): boolean {
    return this.#early;
  }

  /** From now on all bytes go there, for as long as the call takes; false stops the reading. */
  give(take: (bytes: Buffer) => boolean): void {
    this.#take = take;
  }
}
