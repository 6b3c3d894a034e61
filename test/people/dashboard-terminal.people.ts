import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith } from '../support/services/provided.ts';
import { confirm, DashboardWorld, KEYS } from './dashboard-visit.ts';

describeWith(
  ['chromium', 'bubblewrap', 'docker', 'workspace-base-image'],
  'a terminal in the dashboard',
  () => {
    let world: DashboardWorld;

    beforeAll(async () => {
      world = await DashboardWorld.start(`dash-${randomBytes(4).toString('hex')}`);
    });
    afterAll(() => world[Symbol.asyncDispose]());

    it('opens in a conversation, takes keys and colours, is taken up again, and ends; all under the strict policy', async () => {
      const { page, faults } = await world.visit(KEYS.acme);
      await world.go(page, '#/conversations/shell/terminal');
      const screen = page.locator('.xterm-rows');
      await page.getByText('Connected').waitFor();
      await page.locator('.shell').click();
      await page.keyboard.type('printf "\\033[38;2;255;120;0mmade $((6*7))\\033[0m\\n"; stty size\n');
      await screen.getByText('made 42', { exact: true }).waitFor();
      const colour = await page.evaluate(
        `getComputedStyle([...document.querySelectorAll('.xterm-rows span')].find((one) => one.textContent === 'made 42')).color`,
      );
      expect(colour).not.toBe(
        await page.evaluate(`getComputedStyle(document.querySelector('.xterm-rows')).color`),
      );
      // Another look at it has what was there before.
      await world.go(page, '#/conversations/shell');
      await page.getByText('Nothing was run here yet').waitFor();
      await world.go(page, '#/conversations/shell/terminal');
      await screen.getByText('made 42', { exact: true }).waitFor();
      expect(await page.getByLabel('Terminals').locator('option').count()).toBe(1);
      // As wide as its page is, and told when that changes.
      const width = async () => {
        await page.locator('.shell').click();
        await page.keyboard.type('clear; echo "wide:$(stty size | cut -d" " -f2):"\n');
        const shown = screen.getByText(/^wide:\d+:$/);
        await shown.waitFor();
        return Number(/\d+/.exec(await shown.innerText())?.[0]);
      };
      const wide = await width();
      await page.setViewportSize({ width: 700, height: 800 });
      await expect.poll(width).toBeLessThan(wide);
      // A lost line is taken up where it broke.
      await page.keyboard.type('clear; (until [ -e go ]; do sleep 0.05; done; echo "after $((20+3))") &\n');
      world.cut();
      const made = { method: 'PUT', body: '1', key: KEYS.acme };
      await world.runtime.fetch('/v1/conversations/shell/files/go', made);
      await screen.getByText('after 23').waitFor();
      await page.getByText('Connected').waitFor();
      await page.getByRole('button', { name: 'End…' }).click();
      await confirm(page, 'End it');
      await page.getByText(/It was ended|It ended with/).waitFor();
      expect(faults).toEqual([]);
    });
  },
);
