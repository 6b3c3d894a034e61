import type { Socket } from 'node:net';
import { AnswerFailure, badAnswer, codeOf } from './answer-failure.ts';
import { AnswerReader, type AnswerTaker } from './answer-reader.ts';
import type { SharedRead } from './shared-read.ts';

/** Who asks over a connection. */
export interface Asker extends AnswerTaker {
  /** There is room again for what is written. */
  drained(): void;
  /** It is over without an answer, or in the middle of one, also by what the asker itself has thrown. `stale`: the connection was used before, and is just gone. */
  failed(failure: unknown, stale: boolean): void;
}

/** Who has a connection while nobody asks. */
export interface ConnectionKeeper {
  /** It is good for another request within this time. */
  keep(connection: UpstreamConnection, forMs: number): void;
  /** One that was kept is closed. */
  lose(connection: UpstreamConnection): void;
}

/** A connection to an upstream, over which one asks after another. */
export class UpstreamConnection {
  readonly #socket: Socket;
  readonly #keeper: ConnectionKeeper;
  #asker: Asker | undefined;
  #answer: AnswerReader | undefined;
  #chunked = false;
  #sent = false;
  #heard = false;
  #asked = 0;
  /** When it is to be closed, if nobody asks until then; for the keeper. */
  keptUntil = 0;

  /** `read` is where the socket's bytes come from, where it does not give them itself. */
  constructor(socket: Socket, keeper: ConnectionKeeper, read?: SharedRead) {
    this.#socket = socket;
    this.#keeper = keeper;
    if (read) read.give(this.#read);
    else socket.on('data', this.#readFlowing);
    socket.on('end', this.#end);
    socket.on('error', (error) => this.#fail(new AnswerFailure('connection', codeOf(error))));
    socket.on('close', this.#end);
    socket.on('drain', () => this.#asker?.drained());
  }

  /** Whether it can be asked. */
  get usable(): boolean {
    return !this.#socket.destroyed && this.#socket.writable && this.#asker === undefined;
  }

  /** Bytes that came and went. */
  get progress(): number {
    return this.#socket.bytesRead + this.#socket.bytesWritten;
  }

  /** Sends a request whose body is here, or none. Throws an AnswerFailure when it can't be asked. */
  ask(asker: Asker, method: string, head: string, body?: Buffer): void {
    this.#begin(asker, method);
    this.#sent = true;
    if (body === undefined) {
      this.#socket.write(head, 'latin1');
      return;
    }
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    this.#socket.write(body);
    this.#socket.uncork();
  }

  /** Sends the head of a request, whose body follows by `write` and `finish`. Throws as `ask` does. */
  begin(asker: Asker, method: string, head: string, chunked: boolean): void {
    this.#begin(asker, method);
    this.#sent = false;
    this.#chunked = chunked;
    // What has come of the body already goes with it.
    this.#socket.cork();
    this.#socket.write(head, 'latin1');
    setImmediate(() => this.#socket.uncork());
  }

  /** False when there is no room for more until it is `drained`. */
  write(bytes: Buffer): boolean {
    const socket = this.#socket;
    if (!this.#chunked) return socket.write(bytes);
    socket.cork();
    socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
    socket.write(bytes);
    const room = socket.write('\r\n', 'latin1');
    socket.uncork();
    return room;
  }

  /** The request is whole. */
  finish(): void {
    if (this.#chunked) this.#socket.write('0\r\n\r\n', 'latin1');
    this.#sent = true;
  }

  /** The asker has room again. */
  resume(): void {
    this.#socket.resume();
  }

  /** Nobody is told. */
  destroy(): void {
    this.#asker = undefined;
    this.#answer = undefined;
    this.#socket.destroy();
  }

  #begin(asker: Asker, method: string): void {
    if (!this.usable) throw badAnswer('it closed the connection');
    if (this.#asked > 0) this.#socket.ref();
    this.#asked += 1;
    this.#heard = false;
    this.#chunked = false;
    this.#asker = asker;
    this.#answer = new AnswerReader(method, asker);
  }

  readonly #readFlowing = (bytes: Buffer): void => {
    if (!this.#read(bytes)) this.#socket.pause();
  };

  /** Whether to read on. */
  readonly #read = (bytes: Buffer): boolean => {
    const answer = this.#answer;
    if (answer === undefined) {
      // Nobody asked for it, and the next answer would begin with it.
      this.destroy();
      this.#keeper.lose(this);
      return false;
    }
    this.#heard = true;
    let room = false;
    try {
      room = answer.read(bytes);
    } catch (error) {
      this.#fail(error);
    }
    if (!answer.done) return room;
    this.#free(answer);
    return true;
  };

  #free(answer: AnswerReader): void {
    // The asker may have given it up meanwhile.
    if (this.#answer !== answer) return;
    this.#asker = undefined;
    this.#answer = undefined;
    // Answered before the request was whole: what is left of it would be taken for the next one.
    const whole = this.#sent && this.#socket.writableLength === 0;
    if (answer.keepMs === 0 || !whole || !this.usable) {
      this.destroy();
      return;
    }
    this.#socket.unref();
    this.#keeper.keep(this, answer.keepMs);
  }

  readonly #end = (): void => {
    const answer = this.#answer;
    if (answer === undefined) {
      this.destroy();
      this.#keeper.lose(this);
      return;
    }
    try {
      answer.end();
      this.destroy();
    } catch (error) {
      this.#fail(error);
    }
  };

  #fail(error: unknown): void {
    const asker = this.#asker;
    const stale = this.#asked > 1 && !this.#heard;
    this.destroy();
    if (!asker) this.#keeper.lose(this);
    else asker.failed(error, stale);
  }
}
