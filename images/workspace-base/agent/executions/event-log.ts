import type { EventGap } from '../../../../runtime/contracts/agent-protocol.ts';
import { EventPage } from './event-page.ts';

const LIMIT_BYTES = 4 * 1024 * 1024;
/** Pages begin small, since most executions say little. */
const FIRST_PAGE_BYTES = 4 * 1024;
const PAGE_BYTES = 64 * 1024;

/** Where a reader of a log is. */
export interface Cursor {
  /** The number of the event to be read next. */
  next: number;
  /** How many pages there were before the one it is in. */
  page: number;
  offset: number;
}

/** Serialised events for a reader, who says when they have been sent. */
export interface Piece {
  bytes: Buffer;
  sent(): void;
}

/**
 * The events of one execution as they go over the wire, numbered from 1. At most `limit` bytes are kept: the
 * oldest fall out page by page, never the last event, and are told to readers as a gap.
 */
export class EventLog {
  readonly limit: number;
  readonly #pages: EventPage[] = [];
  #droppedPages = 0;
  /** Memory of a dropped page: an endless stream goes round in the same few pages. */
  #spare: Buffer | undefined;
  #bytes = 0;
  /** All bytes that ever came. */
  #written = 0;
  #next = 1;
  #closed = false;

  constructor(limit = LIMIT_BYTES) {
    this.limit = limit;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** The number of the last event, 0 when there is none. */
  get last(): number {
    return this.#next - 1;
  }

  /** `data` is the event as JSON; bytes are only lent. */
  append(type: string, data: string | Uint8Array): void {
    const head = `id: ${this.#next}\nevent: ${type}\ndata: `;
    const size = head.length + (typeof data === 'string' ? Buffer.byteLength(data) : data.length) + 2;
    this.#pageFor(size).append(head, data);
    this.#next += 1;
    this.#bytes += size;
    this.#written += size;
    while (this.#bytes > this.limit && this.#pages.length > 1) this.#drop();
  }

  /** Adds the event that no other follows. */
  close(type: string, data: string | Uint8Array): void {
    this.append(type, data);
    this.#closed = true;
    this.#spare = undefined;
  }

  /** Keeps nothing but the last event. */
  shrink(): void {
    const last = this.#pages.at(-1)?.lastAlone();
    if (!last) return;
    this.#droppedPages += this.#pages.length;
    this.#pages.splice(0, Infinity, last);
    this.#bytes = last.used;
  }

  /** Where a reader begins that has seen everything up to number `after`, which is at most `last`. */
  cursorAfter(after: number): Cursor {
    const next = after + 1;
    const index = this.#pages.findIndex((page) => page.next > next);
    const page = this.#pages[index];
    if (!page) {
      const tail = Math.max(0, this.#pages.length - 1);
      return { next, page: this.#droppedPages + tail, offset: this.#pages[tail]?.used ?? 0 };
    }
    // A page that is gone stands for the gap before the first.
    if (page.first > next) return { next, page: this.#droppedPages - 1, offset: 0 };
    return { next, page: this.#droppedPages + index, offset: page.offsetOf(next) };
  }

  /** What a reader gets next, if there is anything, and moves its cursor past it. */
  read(cursor: Cursor): Piece | undefined {
    if (cursor.page < this.#droppedPages) {
      const gap = this.#gapFrom(cursor.next);
      Object.assign(cursor, this.cursorAfter(gap ? gap.to : cursor.next - 1));
      if (gap) return gapPiece(gap);
    }
    let page = this.#pages[cursor.page - this.#droppedPages];
    if (page?.used === cursor.offset) {
      page = this.#pages[cursor.page + 1 - this.#droppedPages];
      if (!page) return undefined;
      cursor.page += 1;
      cursor.offset = 0;
    }
    if (!page) return undefined;
    const bytes = page.lend(cursor.offset);
    cursor.offset = page.used;
    cursor.next = page.next;
    return { bytes, sent: () => page.giveBack() };
  }

  /** How many bytes a reader has before it. */
  unread(cursor: Cursor): number {
    if (cursor.page < this.#droppedPages) return this.#bytes;
    const page = this.#pages[cursor.page - this.#droppedPages];
    return page ? this.#written - page.start - cursor.offset : 0;
  }

  /** Whether a reader has all there will ever be. */
  isOver(cursor: Cursor): boolean {
    return this.#closed && cursor.next === this.#next;
  }

  #pageFor(size: number): EventPage {
    const tail = this.#pages.at(-1);
    if (tail && tail.room >= size) return tail;
    const usual = Math.min(PAGE_BYTES, this.limit / 8, FIRST_PAGE_BYTES * 2 ** this.#pages.length);
    // A big event gets no more than it needs, so that little of what pages take lies idle.
    const page = new EventPage(this.#next, this.#written, this.#memory(size > usual / 4 ? size : usual));
    this.#pages.push(page);
    return page;
  }

  #memory(size: number): Buffer {
    const spare = this.#spare;
    if (spare?.length !== size) return Buffer.allocUnsafeSlow(size);
    this.#spare = undefined;
    return spare;
  }

  #drop(): void {
    const page = this.#pages.shift();
    this.#droppedPages += 1;
    this.#bytes -= page?.used ?? 0;
    this.#spare = page?.reclaim() ?? this.#spare;
  }

  #gapFrom(next: number): EventGap | undefined {
    const first = this.#pages[0]?.first ?? this.#next;
    return next < first ? { type: 'gap', from: next, to: first - 1 } : undefined;
  }
}

function gapPiece(gap: EventGap): Piece {
  const bytes = Buffer.from(`id: ${gap.to}\nevent: ${gap.type}\ndata: ${JSON.stringify(gap)}\n\n`);
  return { bytes, sent: () => {} };
}
