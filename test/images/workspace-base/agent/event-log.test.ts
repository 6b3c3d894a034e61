import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Cursor, EventLog } from '../../../../images/workspace-base/agent/executions/event-log.ts';
import { heldUntil } from '../../../../images/workspace-base/agent/executions/held-until.ts';

interface Seen {
  seq: number;
  type: string;
  data: { n?: number; from?: number; to?: number };
}

function parse(bytes: Buffer): Seen[] {
  const blocks = bytes.toString().split('\n\n');
  expect(blocks.pop()).toBe('');
  return blocks.map((block) => {
    const [, seq, type = '', data = ''] = /^id: (\d+)\nevent: (\w+)\ndata: ([^\n]*)$/.exec(block) ?? [];
    return { seq: Number(seq), type, data: JSON.parse(data) };
  });
}

/** All that there is for a reader now. */
function readAll(log: EventLog, cursor: Cursor): Seen[] {
  const seen: Seen[] = [];
  for (let piece = log.read(cursor); piece; piece = log.read(cursor)) {
    seen.push(...parse(piece.bytes));
    piece.sent();
  }
  return seen;
}

const add = (log: EventLog, n: number, size = 0) =>
  log.append('text_delta', JSON.stringify({ n, pad: 'x'.repeat(size) }));

describe('a log of events', () => {
  it('gives every reader what it has not seen, in order, with gaps for what has fallen out', () => {
    const step = fc.oneof(
      { weight: 6, arbitrary: fc.record({ add: fc.nat(300) }) },
      { weight: 2, arbitrary: fc.record({ read: fc.nat(2) }) },
      { weight: 1, arbitrary: fc.record({ attach: fc.nat(1_000) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.boolean(), (steps, shrinks) => {
        const log = new EventLog(1_000);
        const readers: { cursor: Cursor; next: number }[] = [];
        const read = (reader: { cursor: Cursor; next: number } | undefined) => {
          for (const { seq, type, data } of reader ? readAll(log, reader.cursor) : []) {
            if (!reader) continue;
            if (type === 'gap') expect(data).toEqual({ type: 'gap', from: reader.next, to: seq });
            else expect([seq, data.n]).toEqual([reader.next, reader.next]);
            reader.next = seq + 1;
          }
        };
        for (const action of steps) {
          if ('add' in action) add(log, log.last + 1, action.add);
          else if ('read' in action) read(readers[action.read]);
          else {
            const after = action.attach % (log.last + 1);
            readers.push({ cursor: log.cursorAfter(after), next: after + 1 });
          }
          expect(log.bytes).toBeLessThanOrEqual(1_000);
          for (const { cursor, next } of readers) expect(log.unread(cursor) === 0).toBe(next > log.last);
        }
        log.close('done', JSON.stringify({ n: log.last + 1 }));
        if (shrinks) log.shrink();
        for (const reader of readers) {
          expect(log.isOver(reader.cursor)).toBe(false);
          read(reader);
          expect(reader.next).toBe(log.last + 1);
          expect(log.isOver(reader.cursor)).toBe(true);
        }
      }),
    );
  });

  it('never drops the last event, however big', () => {
    const log = new EventLog(1_000);
    for (let n = 1; n <= 50; n += 1) add(log, n, 100);
    add(log, 51, 5_000);
    const seen = readAll(log, log.cursorAfter(0));
    expect(seen.map(({ seq, type }) => [seq, type])).toEqual([
      [50, 'gap'],
      [51, 'text_delta'],
    ]);
  });

  it('keeps only the last event once it is shrunk', () => {
    const log = new EventLog(1_000_000);
    const behind = log.cursorAfter(0);
    for (let n = 1; n <= 100; n += 1) add(log, n, 1_000);
    const ahead = log.cursorAfter(99);
    readAll(log, ahead);
    log.close('done', '{}');
    log.shrink();
    expect(log.bytes).toBeLessThan(100);
    expect(readAll(log, ahead).map(({ seq, type }) => [seq, type])).toEqual([[101, 'done']]);
    expect(readAll(log, behind).map(({ seq, type }) => [seq, type])).toEqual([
      [100, 'gap'],
      [101, 'done'],
    ]);
    expect(readAll(log, log.cursorAfter(101))).toEqual([]);
  });

  it('leaves bytes alone that are still being sent', () => {
    const log = new EventLog(10_000);
    const cursor = log.cursorAfter(0);
    add(log, 1, 50);
    const piece = log.read(cursor);
    for (let n = 2; n <= 500; n += 1) add(log, n, 50);
    expect(parse(piece?.bytes ?? Buffer.alloc(0)).map(({ seq }) => seq)).toEqual([1]);
  });

  it('copies the bytes it is lent', () => {
    const log = new EventLog();
    const lent = Buffer.from('{"n":1}');
    log.append('text_delta', lent);
    lent.fill('!');
    expect(readAll(log, log.cursorAfter(0))).toEqual([{ seq: 1, type: 'text_delta', data: { n: 1 } }]);
  });

  it('gives many small events at once', () => {
    const log = new EventLog();
    for (let n = 1; n <= 1_000; n += 1) add(log, n);
    const cursor = log.cursorAfter(0);
    let pieces = 0;
    while (log.read(cursor)) pieces += 1;
    expect(pieces).toBeLessThan(10);
  });
});

describe('who holds up a runner', () => {
  const reader = (unread: number, waitingSince?: number) => ({ unread, waitingSince });

  it('is a reader that is far behind and has taken something within two seconds', () => {
    expect(heldUntil([reader(101, 9_000)], 100, 10_000)).toBe(11_000);
    expect(heldUntil([reader(101, 8_001)], 100, 10_000)).toBe(10_001);
    expect(heldUntil([reader(101)], 100, 10_000)).toBe(12_000);
  });

  it('is nobody that keeps up, nor one that takes nothing, nor one that has left', () => {
    expect(heldUntil([reader(100, 9_999), reader(0)], 100, 10_000)).toBe(undefined);
    expect(heldUntil([reader(5_000, 8_000)], 100, 10_000)).toBe(undefined);
    expect(heldUntil([], 100, 10_000)).toBe(undefined);
  });

  it('is whoever does it longest', () => {
    const readers = [reader(101, 8_500), reader(101, 9_500), reader(101, 0), reader(0, 9_900)];
    expect(heldUntil(readers, 100, 10_000)).toBe(11_500);
  });
});
