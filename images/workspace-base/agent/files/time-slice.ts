import type { ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { ClientGone } from '../http/body-writer.ts';

const SLICE_MS = 8;

/** Keeps long synchronous work for a client from holding up every other call. */
export class TimeSlice {
  readonly #res: ServerResponse;
  #since = performance.now();

  constructor(res: ServerResponse) {
    this.#res = res;
  }

  /** Lets others run, if this work has had the loop for a while; throws once the client has gone. */
  async rest(): Promise<void> {
    if (performance.now() - this.#since < SLICE_MS) return;
    await setImmediate();
    if (this.#res.destroyed) throw new ClientGone();
    this.#since = performance.now();
  }
}
