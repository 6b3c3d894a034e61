import type { Socket } from 'node:net';
import type { Watchdog, Watched } from './watchdog.ts';

/** Two connections whose bytes are each other's, until both are closed. */
export class Tunnel implements Watched {
  readonly #client: Socket;
  readonly #upstream: Socket;
  readonly #idleMs: number;

  constructor(client: Socket, upstream: Socket, idleMs: number) {
    this.#client = client;
    this.#upstream = upstream;
    this.#idleMs = idleMs;
  }

  run(watchdog: Watchdog): void {
    const watch = watchdog.watch(this);
    let open = 2;
    for (const [one, other] of [
      [this.#client, this.#upstream],
      [this.#upstream, this.#client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => {
        // What it sent before may still be on its way to the other.
        other.destroySoon();
        open -= 1;
        if (open === 0) watchdog.forget(watch);
      });
      one.pipe(other);
    }
  }

  progress(): number {
    return (
      this.#client.bytesRead +
      this.#client.bytesWritten +
      this.#upstream.bytesRead +
      this.#upstream.bytesWritten
    );
  }

  patienceMs(): number {
    return this.#idleMs;
  }

  expire(): void {
    this.#client.destroy();
    this.#upstream.destroy();
  }
}
