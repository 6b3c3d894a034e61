import type { ServerResponse } from 'node:http';

const HEARTBEAT_MS = 15_000;

/** A response as server-sent events, with a comment now and then so that nobody takes it for dead. */
export class EventStream {
  readonly #res: ServerResponse;
  readonly #heartbeat: NodeJS.Timeout;

  constructor(res: ServerResponse) {
    this.#res = res;
    res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    res.flushHeaders();
    this.#heartbeat = setInterval(() => {
      if (!res.writableNeedDrain) res.write(':\n\n');
    }, HEARTBEAT_MS);
    res.on('close', () => clearInterval(this.#heartbeat));
  }

  /** Returns false when the reader is behind; the response's `drain` says when it has caught up. */
  send(event: { type: string }): boolean {
    return this.#res.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  end(): void {
    clearInterval(this.#heartbeat);
    this.#res.end();
  }
}
