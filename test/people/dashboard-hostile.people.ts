import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeWith, functionNodeImage } from '../support/services/provided.ts';
import { DashboardWorld, DESKTOP, KEYS, PHONE } from './dashboard-visit.ts';

const MARKUP = `<img src=x onerror="alert(1)"><script>alert(2)</script><a href="javascript:alert(3)">x</a>`;
const FILE = `<img src=x onerror=alert(4)>\u202etxt.exe`;
/** Everything that would move a terminal's cursor, turn a text around or end a string. */
const CONTROLS = `\x1b[31mred\x1b[0m\x1b]0;title\x07 \u202eevil \x00 \r ' " </pre>`;

describeWith(
  ['chromium', 'bubblewrap', 'docker', 'workspace-base-image', 'function-node-image'],
  'the dashboard of hostile things',
  () => {
    /** A folder, for someone who wants to see what the tests see. */
    const screenshots = process.env.DASHBOARD_SCREENSHOTS;
    let world: DashboardWorld;

    const script = `import sys
open(${JSON.stringify(FILE)}, 'w').write('x')
print(${JSON.stringify(MARKUP)})
sys.stderr.write(${JSON.stringify(CONTROLS)})
raise SystemExit(3)`;

    beforeAll(async () => {
      world = await DashboardWorld.start(`dash-${randomBytes(4).toString('hex')}`, {
        ALLOWED_IMAGES: functionNodeImage(),
      });
      const { runtime } = world;
      const key = KEYS.ops;
      await (await runtime.post('/v1/conversations/hostile/execute', { user_input: script }, { key })).text();
      const curl = `curl -s -m 5 -x http://127.0.0.1:8080 'http://a<b>.example/'; curl -s -m 5 http://x.example/; true`;
      await runtime.post('/v1/conversations/hostile/exec', { cmd: ['sh', '-c', curl] }, { key });
      await runtime.post(
        '/v1/workspaces',
        { name: MARKUP.slice(0, 100), desired_state: 'PENDING', id: workspace },
        { key },
      );
      await runtime.fetch('/v1/functions/evil', {
        method: 'PUT',
        key,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          image: functionNodeImage(),
          env: { HANDLER_SOURCE: `export default () => ${JSON.stringify(MARKUP + CONTROLS)}` },
        }),
      });
    });
    afterAll(() => world[Symbol.asyncDispose]());

    const workspace = `hostile-${randomBytes(4).toString('hex')}`;
    const pages: [string, (page: Page) => Promise<void>][] = [
      ['#/', (page) => page.getByRole('heading', { name: 'Refused by' }).waitFor()],
      ['#/conversations', (page) => page.getByRole('link', { name: 'hostile' }).waitFor()],
      ['#/conversations/hostile', (page) => page.locator('.events').getByText('exit code 3').waitFor()],
      ['#/conversations/hostile/run', (page) => page.getByRole('button', { name: 'Execute' }).waitFor()],
      [
        '#/conversations/hostile/files',
        (page) => page.getByRole('button', { name: 'Delete <img' }).waitFor(),
      ],
      ['#/conversations/hostile/egress', (page) => page.getByText('x.example:80').waitFor()],
      ['#/conversations/hostile/terminal', (page) => page.getByText('Connected').waitFor()],
      [
        `#/conversations/${encodeURIComponent(MARKUP)}`,
        (page) => page.getByRole('heading', { name: 'This could not be shown' }).waitFor(),
      ],
      ['#/workspaces', (page) => page.getByRole('link', { name: workspace }).waitFor()],
      [`#/workspaces/${workspace}`, (page) => page.getByText('onerror').waitFor()],
      ['#/functions', (page) => page.getByRole('link', { name: 'evil' }).waitFor()],
      ['#/functions/evil', (page) => page.getByRole('button', { name: 'Invoke' }).waitFor()],
      ['#/containers', (page) => page.getByText('ops / hostile').waitFor()],
      ['#/operations', (page) => page.getByRole('button', { name: 'Sweep now' }).waitFor()],
    ];

    it('shows what they chose as the text that it is: no element, no script, no dialog, no violation', async () => {
      const { page, faults } = await world.visit(KEYS.ops);
      for (const [hash, shown] of pages) {
        await world.go(page, hash);
        await shown(page);
        const made = await page.evaluate(
          `document.querySelectorAll('main img, main script, main iframe, main style, main [href^="javascript"]').length`,
        );
        expect(made, hash).toBe(0);
      }
      await world.go(page, '#/conversations/hostile');
      const said = page.locator('.events');
      await said.getByText(MARKUP).waitFor();
      // Colours are left out, and what is left of control is seen for what it is.
      await said.getByText('red␛]0;title␇ ‹U+202E›evil ␀ ␍').waitFor();
      await world.go(page, '#/conversations/hostile/files');
      await page
        .getByRole('button', { name: '<img src=x onerror=alert(4)>‹U+202E›txt.exe', exact: true })
        .waitFor();
      await world.go(page, '#/functions/evil');
      await page.getByRole('button', { name: 'Invoke' }).click();
      await page.getByLabel('Answer').getByText('<script>alert(2)</script>').waitFor();
      await world.go(page, '#/containers');
      await page.getByRole('row', { name: 'ops / hostile' }).getByRole('link').first().click();
      await page.getByLabel('What it printed').waitFor();
      expect(faults).toEqual([]);
    });

    it.each([
      ['light', DESKTOP],
      ['light', PHONE],
      ['dark', DESKTOP],
      ['dark', PHONE],
    ] as const)(
      'is for everybody: no barrier that axe knows, in %s at %o, and nothing wider than the screen',
      async (scheme, size) => {
        const { page, faults } = await world.visit(KEYS.ops, { colorScheme: scheme, viewport: size });
        const barriers: string[] = [];
        for (const [hash, shown] of pages) {
          await world.go(page, hash);
          await shown(page);
          barriers.push(...(await world.barriers(page)).map((barrier) => `${hash} ${barrier}`));
          const wider = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
          if (wider > 0) barriers.push(`${hash} is ${wider} px wider than the screen`);
          await photograph(page, `${hash.replaceAll(/\W+/g, '-').slice(0, 40)}-${scheme}-${size.width}`);
        }
        await page.keyboard.press('?');
        await page.getByRole('dialog').waitFor();
        barriers.push(...(await world.barriers(page)));
        await page.keyboard.press('Escape');
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.getByLabel('API key').waitFor();
        barriers.push(...(await world.barriers(page)));
        expect(barriers).toEqual([]);
        expect(faults).toEqual([]);
      },
    );

    async function photograph(page: Page, name: string): Promise<void> {
      if (screenshots === undefined) return;
      mkdirSync(screenshots, { recursive: true });
      await page.screenshot({ path: join(screenshots, `${name}.png`) });
    }
  },
);
