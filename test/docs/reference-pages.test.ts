import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { referencePages } from '../../docs/reference-pages.ts';

const pages = await referencePages();

describe('the reference', () => {
  it.each(Object.entries(pages))('%s is what the code says; npm run docs mends it', (name, content) => {
    const file = new URL(`../../docs/reference/${name}`, import.meta.url);
    expect(readFileSync(file, 'utf8')).toBe(content);
  });
});
