import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { turns, type Waiting } from './turns.ts';

/** Node's parser is given so many bytes at a time: what is in them, it parses without a break. */
const SLICE_BYTES = 4096;
/** A request whose body is not taken is looked at again after this. */
const AGAIN_MS = 5;

type Parse = (chunk: Buffer) => void;

/**
 * Stands between a client's connection and Node's HTTP parser: bytes come to it in slices, no more once the connection
 * was refused, and only while its owner has time in this turn.
 */
export class FairReader implements Waiting {
  readonly #socket: Socket;
  readonly #owner: () => object;
  readonly #parse: Parse[];
  #held: Buffer | undefined;
  #rest: Buffer = Buffer.alloc(0);
  #stopped = false;
  /** The request that came last. */
  request: IncomingMessage | undefined;

  constructor(socket: Socket, owner: () => object) {
    this.#socket = socket;
    this.#owner = owner;
    // Node's server has put its parser there as a listener, and takes whatever calls it.
    this.#parse = socket.listeners('data') as Parse[];
    for (const parse of this.#parse) socket.off('data', parse);
    socket.on('data', this.#read);
  }

  /** Nothing more is parsed. */
  stop(): void {
    this.#stopped = true;
    this.#held = undefined;
  }

  /** Leaves the connection to the caller: gives what was read and not parsed. */
  release(): Buffer {
    this.#socket.off('data', this.#read);
    this.stop();
    return this.#rest;
  }

  goOn(): void {
    if (this.#socket.destroyed || this.#stopped) return;
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#read(held);
    if (this.#held || this.#stopped) return;
    // Reading on would fill the memory with a body that nobody takes.
    const { request } = this;
    if (request && request.readableLength >= request.readableHighWaterMark) {
      setTimeout(() => this.goOn(), AGAIN_MS);
    } else {
      this.#socket.resume();
    }
  }

  readonly #read = (chunk: Buffer): void => {
    if (this.#held) {
      this.#held = Buffer.concat([this.#held, chunk]);
      return;
    }
    for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
      if (this.#stopped || this.#socket.destroyed) return;
      const owner = this.#owner();
      if (!turns.hasTime(owner)) {
        this.#held = chunk.subarray(at);
        this.#socket.pause();
        turns.wait(owner, this);
        return;
      }
      const began = performance.now();
      this.#rest = chunk.subarray(at + SLICE_BYTES);
      const slice = chunk.length <= SLICE_BYTES ? chunk : chunk.subarray(at, at + SLICE_BYTES);
      for (const parse of this.#parse) parse.call(this.#socket, slice);
      turns.spend(owner, performance.now() - began);
    }
  };
}
