import { BerthError } from './berth-error.ts';

/** One server-sent event, as it is on the wire. */
export interface WireEvent {
  id: string | undefined;
  /** `message` where it has no name. */
  event: string;
  data: string;
}

/** A comment: the service has nothing to tell, and is there. */
export type SignOfLife = 'comment';

/** More than any event has; what says more without an end would fill the memory. */
const MOST_CHARACTERS = 8 * 1024 * 1024;

/** Events out of bytes, however those are cut. An event whose end does not come is none. */
export class EventParser {
  readonly #decoder = new TextDecoder();
  #line = '';
  #afterReturn = false;
  #id: string | undefined;
  #event = '';
  #data: string[] = [];
  #size = 0;

  push(bytes: Uint8Array): (WireEvent | SignOfLife)[] {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return [];
    if (this.#afterReturn && text.startsWith('\n')) text = text.slice(1); // the second half of a line's end
    this.#afterReturn = text === '' ? false : text.endsWith('\r');
    const lines = text.split(/\r\n|\n|\r/);
    const rest = lines.pop() ?? '';
    const found: (WireEvent | SignOfLife)[] = [];
    for (const line of lines) {
      const event = this.#take(this.#line + line);
      this.#line = '';
      if (event !== undefined) found.push(event);
    }
    this.#line += rest;
    this.#bound(this.#line.length);
    return found;
  }

  #take(line: string): WireEvent | SignOfLife | undefined {
    if (line === '') return this.#finish();
    const colon = line.indexOf(':');
    if (colon === 0) return 'comment';
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (name === 'data') {
      this.#size += value.length;
      this.#bound(0);
      this.#data.push(value);
    } else if (name === 'event') this.#event = value;
    else if (name === 'id') this.#id = value;
    return undefined;
  }

  #finish(): WireEvent | undefined {
    const event = { id: this.#id, event: this.#event || 'message', data: this.#data.join('\n') };
    const empty = this.#data.length === 0;
    this.#id = undefined;
    this.#event = '';
    this.#data = [];
    this.#size = 0;
    return empty ? undefined : event;
  }

  #bound(more: number): void {
    if (this.#size + more > MOST_CHARACTERS)
      throw new BerthError('UNEXPECTED_ANSWER', 'the service sends an event without an end');
  }
}
