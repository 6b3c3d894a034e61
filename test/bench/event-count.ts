const EVENT = Buffer.from('\nevent: ');
const TYPE_BYTES = 12;

/** Counts the events of a stream by their type, at little cost. */
export class EventCount {
  readonly #counts = new Map<string, number>();
  #rest: Buffer = Buffer.alloc(0);

  take(chunk: Buffer): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let after = 0;
    for (let at = bytes.indexOf(EVENT); at !== -1; at = bytes.indexOf(EVENT, after)) {
      const end = at + EVENT.length + TYPE_BYTES;
      if (end > bytes.length) break;
      const [type = ''] = bytes.toString('latin1', at + EVENT.length, end).split('\n');
      this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
      after = end;
    }
    // What may be the beginning of an event.
    this.#rest = bytes.subarray(Math.max(after, bytes.length - EVENT.length - TYPE_BYTES));
  }

  of(type: string): number {
    return this.#counts.get(type) ?? 0;
  }

  /** Throws unless that many events of text have come, nothing is missing, and there is an end. */
  requireWhole(events: number): void {
    if (this.of('text_delta') === events && this.of('gap') === 0 && this.of('done') === 1) return;
    throw new Error(`the stream is not whole: ${JSON.stringify(Object.fromEntries(this.#counts))}`);
  }
}
