import { describe, expect, it } from 'vitest';
import { blocksOfPage, pagesToRun } from '../support/documentation/documented-pages.ts';
import { PageRun } from '../support/documentation/page-run.ts';
import { servicesOf } from '../support/documentation/page-settings.ts';
import { describeWith } from '../support/services/provided.ts';

describe('the documentation', () => {
  it('has commands to run', () => {
    expect(pagesToRun()).toEqual(expect.arrayContaining(['README.md', 'docs/first-conversation.md']));
  });

  for (const page of pagesToRun()) {
    describeWith(servicesOf(page), page, () => {
      it('says what its commands do, in the order it has them', async () => {
        await using run = await PageRun.open(page);
        await run.start();
        for (const block of blocksOfPage(page)) await run.block(block);
        expect(run.ran).toBeGreaterThan(0);
      }, 240_000);
    });
  }
});
