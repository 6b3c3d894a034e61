import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../../../images/workspace-base/agent/executions/line-splitter.ts';

describe('a splitter of lines', () => {
  it('finds the same lines whatever pieces they come in', () => {
    const text = fc
      .array(fc.constantFrom('\n', 'a', 'bc', '€'), { maxLength: 60 })
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.integer({ min: 1, max: 9 })), (all, sizes) => {
        const bytes = Buffer.from(all);
        const lent = Buffer.alloc(9);
        const splitter = new LineSplitter(1_000);
        const lines: string[] = [];
        for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 3;
          const copied = bytes.copy(lent, 0, at, at + size);
          at += copied;
          splitter.add(lent.subarray(0, copied), (line) => lines.push(line.toString()) > 0);
        }
        expect([...lines, splitter.rest().toString()].join('\n')).toBe(all);
      }),
    );
  });

  it('hands on a line that is too long before its end has come, and holds no more of it', () => {
    const splitter = new LineSplitter(10);
    const lines: string[] = [];
    const take = (line: Buffer) => lines.push(line.toString()) > 0;
    splitter.add(Buffer.from('1234567890'), take);
    expect(lines).toEqual([]);
    splitter.add(Buffer.from('1'), take);
    expect(lines).toEqual(['12345678901']);
    expect(splitter.rest().length).toBe(0);
  });

  it('stops when it is told to', () => {
    const lines: string[] = [];
    new LineSplitter(10).add(Buffer.from('a\nb\nc\n'), (line) => lines.push(line.toString()) < 2);
    expect(lines).toEqual(['a', 'b']);
  });
});
