import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutTo, displayWidth } from '../../../runtime/cli/terminal/display-width.ts';
import { escaped, escapedLines, safeJson, shown } from '../../../runtime/cli/terminal/escape.ts';
import { age, left, size, span } from '../../../runtime/cli/terminal/measures.ts';
import { type Column, table } from '../../../runtime/cli/terminal/table.ts';

/** What a terminal would obey rather than show. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
const OBEYED = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\u2028\u2029]/;

describe('text that others chose', () => {
  it('is shown with its control characters written out', () => {
    expect(escaped('a\u001b[31mb\r\n\t\u0007\u009b\u202eü日')).toBe(
      'a\\x1b[31mb\\x0d\\n\\t\\x07\\x9b\\u202eü日',
    );
    expect(shown('x'.repeat(200))).toHaveLength(83);
  });

  it('steers no terminal, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        // biome-ignore lint/suspicious/noControlCharactersInRegex: colours begin with one
        const lines = escapedLines(text).replace(/\u001b\[[0-9;]*m|\r?\n|\t/g, '');
        return ![escaped(text), shown(text), lines].some((safe) => OBEYED.test(safe));
      }),
    );
  });

  it('is the same after JSON as before, and steers none there', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = safeJson({ text });
        return !OBEYED.test(json) && JSON.parse(json).text === text;
      }),
    );
  });

  it('of a log keeps its lines and colours, and loses the rest', () => {
    expect(escapedLines('\u001b[32mok\u001b[0m\n\u001b]0;title\u0007\u001b[2J\r\nend')).toBe(
      '\u001b[32mok\u001b[0m\n\\x1b]0;title\\x07\\x1b[2J\r\nend',
    );
  });
});

describe('a table', () => {
  const columns: Column[] = [{ title: 'NAME', shrinks: true }, { title: 'AGE', right: true }, { title: 'X' }];
  const plain = { columns: undefined, colours: false };

  it('stands in columns, numbers at their right end, without a space at the end of a line', () => {
    expect(
      table(
        columns,
        [
          ['a', '3m', 'x'],
          ['longer', '120s', ''],
        ],
        plain,
      ),
    ).toBe('NAME     AGE  X\na         3m  x\nlonger  120s\n');
  });

  it('counts columns of the terminal, not characters', () => {
    expect(displayWidth('日本e\u0301🚀')).toBe(7);
    expect(table(columns, [['日本', '1s', 'x']], plain).split('\n')[1]).toBe('日本   1s  x');
    expect(cutTo('日本語', 4)).toBe('日…');
  });

  it('fits where there is room for it, and cuts only what may be cut', () => {
    const rows = [['n'.repeat(100), '59m', 'whole']];
    const lines = table(columns, rows, { columns: 30, colours: false }).trimEnd().split('\n');
    expect(lines.map(displayWidth).every((width) => width <= 30)).toBe(true);
    expect(lines[1]).toMatch(/^n+… {2}59m {2}whole$/);
    expect(table(columns, rows, plain)).toContain('n'.repeat(100));
  });

  it('has colours only where they are wanted, and keeps every cell in its line', () => {
    const rows = [[{ text: 'up\n\u001b[2J', style: 'green' as const }, '1s', 'x']];
    expect(table(columns, rows, plain)).not.toContain('\u001b');
    const coloured = table(columns, rows, { columns: 80, colours: true });
    expect(coloured).toContain('\u001b[32mup\\n\\x1b[2J\u001b[0m');
    expect(coloured.trimEnd().split('\n')).toHaveLength(2);
  });
});

describe('measures', () => {
  const now = Date.parse('2026-01-01T12:00:00Z');

  it.each([
    [0, '0s'],
    [119.9, '119s'],
    [180, '3m'],
    [57 * 60 + 59, '57m'],
    [7200, '2h'],
    [47 * 3600, '47h'],
    [86_400 * 12, '12d'],
    [-5, '0s'],
  ])('%d seconds are %s', (seconds, text) => {
    expect(span(seconds)).toBe(text);
  });

  it('say how old something is, and how long it has left', () => {
    expect(age('2026-01-01T11:57:00Z', now)).toBe('3m');
    expect(left('2026-01-01T12:57:30Z', now)).toBe('57m');
    expect(left(now + 5000, now)).toBe('5s');
    expect([left(null, now), left('2026-01-01T11:00:00Z', now)]).toEqual(['-', 'due']);
  });

  it.each([
    [0, '0 B'],
    [999, '999 B'],
    [1500, '1.5 KB'],
    [9960, '10 KB'],
    [999_600, '1.0 MB'],
    [20e6, '20 MB'],
    [3e15, '3000 TB'],
  ])('%d bytes are %s', (bytes, text) => {
    expect(size(bytes)).toBe(text);
  });
});
