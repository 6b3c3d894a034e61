import { posix } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeWorkspacePath,
  parseWorkspacePath,
} from '../../../../images/workspace-base/agent/files/workspace-path.ts';
import { Problem } from '../../../../images/workspace-base/agent/problem.ts';

const nasty = fc.array(
  fc.oneof(
    fc.constantFrom('..', '.', '/', '//', '\0', '%2e', '\ud800', 'a', '.berth-0123456789abcdef.tmp'),
    fc.string({ unit: 'binary' }),
  ),
  { maxLength: 8 },
);

describe('the path parser', () => {
  it('accepts only what stays in the workspace and means itself', () => {
    fc.assert(
      fc.property(nasty, fc.constantFrom('', '/'), (parts, glue) => {
        const text = parts.join(glue);
        try {
          const path = parseWorkspacePath(text);
          expect(path).toBe(text);
          expect(posix.resolve('/workspace', path)).toBe(`/workspace/${path}`);
          expect(Buffer.from(path).toString()).toBe(path);
        } catch (error) {
          expect(error).toBeInstanceOf(Problem);
        }
      }),
    );
  });

  it('accepts every proper path, also through a URL', () => {
    const name = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
      .filter((text) => !/[/\0]/.test(text) && !['.', '..'].includes(text) && text.isWellFormed());
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), (names) => {
        const path = names.join('/');
        expect(decodeWorkspacePath(names.map(encodeURIComponent).join('/'))).toBe(path);
        expect(decodeWorkspacePath(encodeURIComponent(path))).toBe(path);
      }),
    );
  });
});
