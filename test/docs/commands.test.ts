import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { blocksOfPage, documentedPages } from '../support/documentation/documented-pages.ts';
import { blocksOf } from '../support/documentation/page-blocks.ts';
import { RUN_ELSEWHERE } from '../support/documentation/run-elsewhere.ts';
import { isOutput } from '../support/documentation/same-output.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

describe("the documentation's commands", () => {
  it('are all run by test/people/documentation.people.ts, but for those that say where else, and why', () => {
    const marked = documentedPages().flatMap((page) =>
      blocksOfPage(page).flatMap((block) =>
        block.kind === 'commands' && block.elsewhere ? [{ page, text: block.text }] : [],
      ),
    );
    expect(marked.map(({ page, text }) => `${page}: ${text.split('\n', 1)}`)).toEqual(
      RUN_ELSEWHERE.map(({ page, begins }) => expect.stringContaining(`${page}: ${begins.split('\n', 1)}`)),
    );
    for (const [index, { begins, why }] of RUN_ELSEWHERE.entries()) {
      expect(marked[index]?.text.startsWith(begins), begins).toBe(true);
      expect(why).toMatch(/\w/);
    }
  });

  it.each(RUN_ELSEWHERE.flatMap(({ covered = [], begins }) => covered.map((each) => ({ begins, ...each }))))(
    '$begins: $by is about the same',
    ({ by, with: words }) => {
      expect(readFileSync(`${ROOT}${by}`, 'utf8')).toContain(words);
    },
  );

  it('are fenced as sh, so that none is overlooked', () => {
    for (const page of documentedPages()) {
      const text = readFileSync(`${ROOT}${page}`, 'utf8');
      expect(text.match(/^ *```(bash|shell|console|zsh).*$/gm) ?? [], page).toEqual([]);
    }
  });
});

describe('a page', () => {
  it('has commands with the output below them, and files with their names', () => {
    const page = [
      ...[
        '# A page',
        '```sh',
        'echo 1',
        '```',
        '```',
        '1',
        '```',
        'Words.',
        '',
        '```sh elsewhere',
        'aws',
        '```',
      ],
      ...['', '```json', '{}', '```', '- item', '', '  ```sh', '  echo \\', '    2', '  ```'],
      ...['```python', '# my/run.py', 'print(1)', '```', '```python', 'print(2)', '```'],
    ].join('\n');
    const shared = { kind: 'commands', elsewhere: false, output: undefined };
    expect(blocksOf(page)).toEqual([
      { ...shared, line: 2, text: 'echo 1\n', output: '1\n' },
      { ...shared, line: 10, text: 'aws\n', elsewhere: true },
      { ...shared, line: 19, text: 'echo \\\n  2\n' },
      { kind: 'file', name: 'my/run.py', text: '# my/run.py\nprint(1)\n' },
    ]);
    expect(() => blocksOf('```sh sometimes\nls\n```')).toThrow('line 1: a fence says "sometimes"');
  });

  it.each([
    ['a\nb\n', 'a\nb', true],
    ['{"a":1,…,"z":2}', '{"a":1,"b":[3],"z":2}', true],
    ['{"a":[\n {"b":1},\n {"c":2}]}', '{"a":[{"b":1},{"c":2}]}', true],
    ['…\nlast', 'first\nsecond\nlast\n', true],
    ['a.c', 'abc', false],
    ['a', 'a\nb', false],
    ['{"a":1,…}', '{"a":2,"b":3}', false],
  ])('shows %j for %j: %s', (shown, printed, same) => {
    expect(isOutput(shown, printed)).toBe(same);
  });
});
