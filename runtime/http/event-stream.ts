import { once } from 'node:events';
import type { Response } from 'express';

const HEARTBEAT_MS = 15_000;

/** Server-sent events to one client. A slow reader slows the writer; silence is broken every 15 s. */
export class EventStream implements Disposable {
  readonly #response: Response;
  readonly #signal: AbortSignal;
  #heartbeat: NodeJS.Timeout;

  constructor(response: Response, signal: AbortSignal) {
    this.#response = response;
    this.#signal = signal;
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    response.flushHeaders();
    this.#heartbeat = setInterval(() => response.write(': still here\n\n'), HEARTBEAT_MS);
  }

  async send(event: string, data: unknown): Promise<void> {
    this.#heartbeat.refresh();
    const drained = this.#response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    if (!drained) await once(this.#response, 'drain', { signal: this.#signal });
  }

  /** Events as they are on the wire, whole ones, several at once. */
  async sendFrames(frames: Buffer): Promise<void> {
    this.#heartbeat.refresh();
    if (!this.#response.write(frames)) await once(this.#response, 'drain', { signal: this.#signal });
  }

  end(): void {
    this.#response.end();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#heartbeat);
  }
}
