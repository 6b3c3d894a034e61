import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AgentMisbehaved } from '../../../runtime/agent-client/agent-failures.ts';
import { executionEvents } from '../../../runtime/agent-client/execution-events.ts';

const END = { type: 'done', subtype: 'success' };

/** As our agent sends it. */
function frame(seq: number, event: { type: string }): string {
  return `id: ${seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

/** The numbers and the JSON of all events that come in these chunks. */
async function read(chunks: readonly Buffer[], after = 0): Promise<[number, unknown][]> {
  const seen: [number, unknown][] = [];
  for await (const batch of executionEvents(Readable.from(chunks), after, new AbortController().signal)) {
    // At once: later the bytes may be others.
    for (const { seq, fields } of batch) seen.push([seq, JSON.parse(`{${fields}`)]);
  }
  return seen;
}

const readText = (text: string, after = 0) => read([Buffer.from(text)], after);

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.map((place) => place % bytes.length).sort((a, b) => a - b), bytes.length];
  return sorted.slice(1).map((end, i) => bytes.subarray(sorted[i], end));
}

describe('the events that an agent sends', () => {
  it('are the same in whatever pieces they come', async () => {
    const event = fc.record({
      type: fc.constant('text_delta'),
      text: fc.string({ unit: 'binary' }),
      more: fc.jsonValue(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.integer({ min: 1, max: 3 }), event), { maxLength: 20 }),
        fc.array(fc.nat(), { maxLength: 30 }),
        async (steps, places) => {
          let seq = 0;
          const all: [number, { type: string }][] = steps.map(([step, event]) => {
            seq += step;
            return [seq, event];
          });
          all.push([seq + 1, END]);
          const bytes = Buffer.from(all.map(([seq, event]) => frame(seq, event)).join(''));
          expect(await read(cutAt(bytes, places))).toEqual(JSON.parse(JSON.stringify(all)));
        },
      ),
    );
  });

  it('may come a byte at a time', async () => {
    const bytes = Buffer.from(frame(1, { type: 'system' }) + frame(2, END));
    expect(await read([...bytes].map((byte) => Buffer.from([byte])))).toEqual([
      [1, { type: 'system' }],
      [2, END],
    ]);
  });

  it('may be long lines in short pieces', async () => {
    const text = 'x'.repeat(50_000);
    const bytes = Buffer.from(frame(1, { type: 'text_delta', text } as { type: string }) + frame(2, END));
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, i) =>
      bytes.subarray(7 * i, 7 * i + 7),
    );
    expect(await read(pieces)).toEqual([
      [1, { type: 'text_delta', text }],
      [2, END],
    ]);
  });

  it('may have comments, other fields and returns between them, and gaps', async () => {
    const text = `: hello\n\nretry: 7\nid:5\r\ndata:{"type":"system"}\r\n\r\nid: 8\ndata: {"type":"gap","from":6,"to":8}\n\n`;
    expect(await readText(text + frame(9, END))).toEqual([
      [5, { type: 'system' }],
      [9, END],
    ]);
  });

  it('keep the last one while others come', async () => {
    const chunk = Buffer.from(frame(1, END));
    const events = executionEvents(Readable.from([chunk]), 0, new AbortController().signal);
    const { value } = await events.next();
    chunk.fill(0);
    expect(value?.at(-1)?.fields.toString()).toBe(JSON.stringify(END).slice(1));
  });

  it.each([
    ['a number does not grow', frame(1, { type: 'system' }) + frame(1, END), 0],
    ['a number is one that was had before', frame(7, END), 7],
    ['a number is none', `id: seven\ndata: ${JSON.stringify(END)}\n\n`, 0],
    ['a number is no whole one', `id: 1.5\ndata: ${JSON.stringify(END)}\n\n`, 0],
    ['a number is too large', `id: ${2 ** 53}\ndata: ${JSON.stringify(END)}\n\n`, 0],
    ['a number has no end', `id: ${'1'.repeat(1000)}\ndata: ${JSON.stringify(END)}\n\n`, 0],
    ['there is no number', `data: ${JSON.stringify(END)}\n\n`, 0],
    ['something comes after the last', frame(1, END) + frame(2, { type: 'system' }), 0],
    ['they end before the last', frame(1, { type: 'system' }), 0],
    ['a line is too long', `id: 1\ndata: {"type":"system","a":"${'x'.repeat(1024 * 1024)}`, 0],
  ])('are refused when %s', async (_, text, after) => {
    await expect(readText(text, after)).rejects.toThrow(AgentMisbehaved);
  });
});
