import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type LaunchedBrowser, launchBrowser } from '../support/browser/launch-browser.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith } from '../support/services/provided.ts';

/** Runs in the page. */
const FAINT_TEXTS = readFileSync(new URL('./faint-texts.js', import.meta.url), 'utf8');
const PAGES = [
  '/docs',
  '/docs/api',
  '/docs/concepts',
  '/docs/guides/deploying',
  '/docs/reference/configuration',
];

describeWith(['chromium', 'bubblewrap'], 'the documentation in a browser', () => {
  let runtime: RuntimeProcess;
  let server: Server;
  let launched: LaunchedBrowser;
  beforeAll(async () => {
    runtime = await RuntimeProcess.start({ env: { CONTAINER_MANAGER_TYPE: 'process' } });
    launched = await launchBrowser();
    server = createServer((inner, answer) => {
      request(`${runtime.url}${inner.url}`, (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(answer);
      })
        .on('error', () => answer.destroy())
        .end();
    }).listen(launched.socket);
  });
  afterAll(async () => {
    await launched?.close();
    server?.close();
    await runtime?.[Symbol.asyncDispose]();
  });

  it.each([
    { colorScheme: 'light', viewport: { width: 360, height: 740 } },
    { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
    { colorScheme: 'light', viewport: { width: 1280, height: 800 } },
    { colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  ] as const)('is readable, $colorScheme and $viewport.width wide', async (options) => {
    const context = await launched.browser.newContext(options);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (line) => faults.push(line.text()));
    page.on('requestfailed', (asked) => faults.push(`failed: ${asked.url()}`));
    for (const path of PAGES) {
      await page.goto(`${launched.origin}${path}`);
      expect(await page.evaluate(FAINT_TEXTS), path).toEqual([]);
      const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      expect(await page.evaluate(wide), `${path} scrolls sideways`).toBe(0);
      expect(await page.locator('h1').count(), path).toBe(1);
    }
    // A browser asks for an icon by itself, and there is none.
    expect(faults.filter((fault) => !/favicon|401/.test(fault))).toEqual([]);
    await context.close();
  });

  it('leads from the contents to a page and its heading, by the keyboard', async () => {
    const page = await launched.browser.newPage();
    await page.goto(`${launched.origin}/docs`);
    await page.getByRole('main').getByRole('link', { name: 'Concepts' }).press('Enter');
    await page.waitForURL('**/docs/concepts');
    await page.getByRole('navigation').getByRole('link', { name: 'Berth on ECS' }).press('Enter');
    await page.waitForURL('**/docs/guides/ecs');
    await page.getByRole('link', { name: 'its part' }).click();
    await page.waitForURL('**/docs/guides/scaling#calls-of-ecs');
    expect(await page.locator(':target').innerText()).toBe('Calls of ECS');
    await page.close();
  });
});
