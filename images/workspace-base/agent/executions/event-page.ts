const END = Buffer.from('\n\n');

/** Serialised events one after the other in one piece of memory. */
export class EventPage {
  /** The number of the first event. */
  readonly first: number;
  /** How many bytes of the log came before. */
  readonly start: number;
  /** The number after the last event. */
  next: number;
  used = 0;
  readonly #bytes: Buffer;
  /** How many connections are still sending from it. */
  #lent = 0;

  constructor(first: number, start: number, memory: Buffer) {
    this.first = first;
    this.start = start;
    this.next = first;
    this.#bytes = memory;
  }

  get room(): number {
    return this.#bytes.length - this.used;
  }

  /** Writes an event that there is room for. */
  append(head: string, data: string | Uint8Array): void {
    this.used += this.#bytes.write(head, this.used, 'latin1');
    if (typeof data === 'string') this.used += this.#bytes.write(data, this.used);
    else {
      this.#bytes.set(data, this.used);
      this.used += data.length;
    }
    this.used += END.copy(this.#bytes, this.used);
    this.next += 1;
  }

  /** All from `offset` on, until `giveBack`. */
  lend(offset: number): Buffer {
    this.#lent += 1;
    return this.#bytes.subarray(offset, this.used);
  }

  giveBack(): void {
    this.#lent -= 1;
  }

  /** Its memory, for another page, when nobody needs this one any more. */
  reclaim(): Buffer | undefined {
    return this.#lent === 0 ? this.#bytes : undefined;
  }

  /** Where the event with this number begins. JSON has no bare line ends, so every blank line ends an event. */
  offsetOf(seq: number): number {
    let offset = 0;
    for (let at = this.first; at < seq; at += 1) offset = this.#bytes.indexOf(END, offset) + END.length;
    return offset;
  }

  /** Only the last event, in memory of its own. */
  lastAlone(): EventPage {
    const offset = this.offsetOf(this.next - 1);
    const last = Buffer.from(this.#bytes.subarray(offset, this.used));
    const page = new EventPage(this.next - 1, this.start + offset, last);
    page.used = last.length;
    page.next = this.next;
    return page;
  }
}
