import type { ServerResponse } from 'node:http';
import { EventStream } from '../http/event-stream.ts';
import type { Cursor, EventLog } from './event-log.ts';
import type { ReaderState } from './held-until.ts';

/** Somebody who reads a log: gets events only as fast as the connection takes them. */
export class EventReader implements ReaderState {
  waitingSince: number | undefined;
  readonly #log: EventLog;
  readonly #cursor: Cursor;
  readonly #stream: EventStream;
  #over = false;

  /** Calls `onProgress` whenever the connection takes something after a wait. */
  constructor(res: ServerResponse, log: EventLog, after: number, onProgress: () => void) {
    this.#log = log;
    this.#cursor = log.cursorAfter(after);
    this.#stream = new EventStream(res);
    res.on('drain', () => {
      this.waitingSince = undefined;
      this.send();
      onProgress();
    });
  }

  get unread(): number {
    return this.#log.unread(this.#cursor);
  }

  /** Sends what there is, as far as the connection takes it. */
  send(): void {
    while (this.waitingSince === undefined) {
      const piece = this.#log.read(this.#cursor);
      if (!piece) break;
      if (!this.#stream.write(piece.bytes, piece.sent)) this.waitingSince = performance.now();
    }
    if (this.#over || !this.#log.isOver(this.#cursor)) return;
    this.#over = true;
    this.#stream.end();
  }
}
