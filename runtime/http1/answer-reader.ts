import { badAnswer } from './answer-failure.ts';
import { ChunkedReader } from './chunked-reader.ts';
import { MOST_HEAD_BYTES } from './head-limits.ts';
import { type ResponseHead, readResponseHead } from './response-head.ts';

/** Who gets an answer. */
export interface AnswerTaker {
  /** `body` follows at once, with nothing in it when nothing has come. */
  head(head: ResponseHead): void;
  /** A part of the body, which is there during the call only. False when there is no room for more at present. */
  body(bytes: Buffer, last: boolean): boolean;
}

const NOTHING = Buffer.alloc(0);
const HEAD_END = Buffer.from('\r\n\r\n');
const BEGIN = 'HTTP/1.';
/** NUL, or a line's end that is none. */
const NEVER_IN_HEAD = /\0|(?:^|[^\r])\n|\r[^\n]/;

/** Makes the answer to one request of what an upstream sends. What it throws is an AnswerFailure. */
export class AnswerReader {
  readonly #method: string;
  readonly #taker: AnswerTaker;
  #begun: Buffer = NOTHING;
  #head: ResponseHead | undefined;
  #left = 0;
  #chunks: ChunkedReader | undefined;
  #done = false;
  #excess = false;

  constructor(method: string, taker: AnswerTaker) {
    this.#method = method;
    this.#taker = taker;
  }

  /** The whole answer has been taken. */
  get done(): boolean {
    return this.#done;
  }

  /** How long the connection may be kept; not at all when something follows the answer. */
  get keepMs(): number {
    return this.#done && !this.#excess && this.#head ? this.#head.keepMs : 0;
  }

  /** The bytes may be changed. False when the taker has no room for more at present. */
  read(bytes: Buffer): boolean {
    const body = this.#head ? bytes : this.#readHead(bytes);
    return body === undefined || this.#readBody(body);
  }

  /** The connection has ended. Throws when the answer has not. */
  end(): void {
    if (this.#done) return;
    if (this.#head === undefined) throw badAnswer('it closed the connection');
    if (this.#head.framing.kind !== 'until-close') throw badAnswer('it ended its answer too early');
    this.#finish(NOTHING);
  }

  /** What follows the head; undefined when that has not ended. */
  #readHead(bytes: Buffer): Buffer | undefined {
    let rest = this.#begun.length === 0 ? bytes : Buffer.concat([this.#begun, bytes]);
    this.#begun = NOTHING;
    for (;;) {
      const end = rest.indexOf(HEAD_END);
      if ((end < 0 ? rest.length : end) > MOST_HEAD_BYTES) throw badAnswer('its head is too long');
      if (end < 0) {
        this.#keep(rest);
        return undefined;
      }
      const head = readResponseHead(rest.toString('latin1', 0, end + 2), this.#method);
      rest = rest.subarray(end + HEAD_END.length);
      if (head.status === 101) throw badAnswer('it switched protocols, which nobody asked for');
      if (head.status >= 200) {
        this.#begin(head);
        return rest;
      }
    }
  }

  #keep(begun: Buffer): void {
    const text = begun.toString('latin1');
    if (!text.startsWith(BEGIN.slice(0, text.length)) || NEVER_IN_HEAD.test(text)) {
      throw badAnswer('its head is none');
    }
    this.#begun = Buffer.from(begun);
  }

  #begin(head: ResponseHead): void {
    this.#head = head;
    if (head.framing.kind === 'length') this.#left = head.framing.bytes;
    else if (head.framing.kind === 'chunked') this.#chunks = new ChunkedReader();
    this.#taker.head(head);
  }

  #readBody(bytes: Buffer): boolean {
    if (this.#chunks) {
      const { body, used } = this.#chunks.read(bytes);
      if (!this.#chunks.done) return this.#taker.body(body, false);
      this.#excess = used < bytes.length;
      return this.#finish(body);
    }
    if (this.#head?.framing.kind === 'until-close') return this.#taker.body(bytes, false);
    this.#excess = bytes.length > this.#left;
    const body = this.#excess ? bytes.subarray(0, this.#left) : bytes;
    this.#left -= body.length;
    return this.#left === 0 ? this.#finish(body) : this.#taker.body(body, false);
  }

  #finish(body: Buffer): boolean {
    this.#done = true;
    return this.#taker.body(body, true);
  }
}
