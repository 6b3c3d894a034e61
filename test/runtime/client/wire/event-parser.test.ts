import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  EventParser,
  type SignOfLife,
  type WireEvent,
} from '../../../../runtime/client/wire/event-parser.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function parse(...chunks: Uint8Array[]): (WireEvent | SignOfLife)[] {
  const parser = new EventParser();
  return chunks.flatMap((chunk) => parser.push(chunk));
}

const STREAM =
  ': still here\n\nid: 1\nevent: text_delta\ndata: {"text":"größer 🚢"}\n\n' +
  'data: one\r\ndata:two\r\ndata\r\nretry: 5\r\n\r\nevent: nameless\n\nid: 7\rdata:  led\r\rdata: cut off';
const EVENTS = [
  'comment',
  { id: '1', event: 'text_delta', data: '{"text":"größer 🚢"}' },
  { id: undefined, event: 'message', data: 'one\ntwo\n' },
  { id: '7', event: 'message', data: ' led' },
];

describe('server-sent events', () => {
  it('are read with any line ends, several lines of data, comments and fields that mean nothing', () => {
    expect(parse(bytes(STREAM))).toEqual(EVENTS);
  });

  it('are the same cut in two at every byte, and byte by byte', () => {
    const whole = bytes(STREAM);
    for (let at = 0; at <= whole.length; at += 1)
      expect(parse(whole.subarray(0, at), whole.subarray(at))).toEqual(EVENTS);
    expect(parse(...Array.from(whole, (byte) => Uint8Array.of(byte)))).toEqual(EVENTS);
  });

  it('are the same however they are cut', () => {
    const whole = bytes(STREAM.repeat(3));
    const expected = parse(whole);
    fc.assert(
      fc.property(fc.array(fc.nat(whole.length)), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), whole.length];
        const chunks = at.slice(1).map((end, index) => whole.subarray(at[index], end));
        expect(parse(...chunks)).toEqual(expected);
      }),
    );
  });

  it('begin after a byte order mark', () => {
    expect(parse(bytes('\uFEFFdata: x\n\n'))).toEqual([{ id: undefined, event: 'message', data: 'x' }]);
  });

  it('that never end are refused, in one line or in many', () => {
    const line = bytes(`data: ${'x'.repeat(2 ** 20)}`);
    const endless = (end: string) => {
      const parser = new EventParser();
      for (let n = 0; n < 9; n += 1) {
        parser.push(line);
        parser.push(bytes(end));
      }
    };
    expect(() => endless('')).toThrow(/UNEXPECTED_ANSWER: .*without an end/);
    expect(() => endless('\n')).toThrow(/UNEXPECTED_ANSWER: .*without an end/);
    expect(() => endless('\n\n')).not.toThrow();
  });
});
