import type { Readable } from 'node:stream';
import { BerthError } from '../contracts/errors.ts';

/** What goes on in a store, so that closing it can end it and wait for it. */
export class CallsUnderWay {
  readonly #closing = new AbortController();
  readonly #calls = new Set<Promise<unknown>>();
  readonly #contents = new Set<Readable>();

  /** Runs a call under a signal that ends it when the store closes, or when the caller's own does. */
  async run<T>(call: (signal: AbortSignal) => Promise<T>, signal?: AbortSignal): Promise<T> {
    this.refuseWhenClosed();
    signal?.throwIfAborted();
    const mine = AbortSignal.any([this.#closing.signal, ...(signal === undefined ? [] : [signal])]);
    const running = call(mine);
    this.#calls.add(running);
    try {
      return await running;
    } finally {
      this.#calls.delete(running);
    }
  }

  /** Content that is read after its call has ended. */
  follow<Content extends Readable>(content: Content): Content {
    this.#contents.add(content);
    content.on('error', () => {}); // its reader sees it; one that never began must not end the process
    content.once('close', () => this.#contents.delete(content));
    if (this.#closing.signal.aborted) content.destroy(this.#closing.signal.reason);
    return content;
  }

  refuseWhenClosed(): void {
    this.#closing.signal.throwIfAborted();
  }

  async close(): Promise<void> {
    this.#closing.abort(new BerthError('SHUTTING_DOWN', 'The object store is closed.'));
    for (const content of this.#contents) content.destroy(this.#closing.signal.reason);
    await Promise.allSettled(this.#calls);
  }
}
