import type { ServerResponse } from 'node:http';

const SILENCE_MS = 15_000;

/** A response as server-sent events, with a comment in a long silence so that nobody takes it for dead. */
export class EventStream {
  readonly #res: ServerResponse;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(res: ServerResponse, silenceMs = SILENCE_MS) {
    this.#res = res;
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    res.flushHeaders();
    this.#heartbeat = setInterval(() => {
      if (!res.writableNeedDrain) res.write(':\n\n');
    }, silenceMs);
    res.on('close', () => clearInterval(this.#heartbeat));
  }

  /** Returns false when the reader is behind; the response's `drain` says when it has caught up. */
  send(event: { type: string }): boolean {
    return this.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  /** Sends events that are serialised already; returns as `send` does, and calls `sent` when they have left. */
  write(events: string | Uint8Array, sent?: () => void): boolean {
    this.#heartbeat.refresh();
    return this.#res.write(events, sent);
  }

  end(): void {
    clearInterval(this.#heartbeat);
    this.#res.end();
  }
}
