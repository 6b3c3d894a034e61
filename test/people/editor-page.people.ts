import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startPrefixProxy } from '../images/workspace-editor/prefix-proxy.ts';
import { RunningEditor } from '../images/workspace-editor/running-editor.ts';
import { type LaunchedBrowser, launchBrowser } from '../support/browser/launch-browser.ts';
import { describeWith } from '../support/services/provided.ts';

const PREFIX = '/w/some-workspace';
/** Runs in the page. */
const FAINT_TEXTS = readFileSync(new URL('./faint-texts.js', import.meta.url), 'utf8');
const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

describeWith(['chromium', 'bubblewrap'], "the editor's page in a browser, below a path", () => {
  /** A folder, for someone who wants to see what the tests see. */
  const screenshots = process.env.EDITOR_SCREENSHOTS;
  let editor: RunningEditor;
  let proxy: Server;
  let launched: LaunchedBrowser;
  let url: string;

  beforeAll(async () => {
    editor = await RunningEditor.start({}, false);
    launched = await launchBrowser();
    proxy = await startPrefixProxy(editor.port, PREFIX, launched.socket);
    url = `${launched.origin}${PREFIX}/`;
  });
  afterAll(async () => {
    await launched.close();
    proxy.close();
    proxy.closeAllConnections();
    await editor.stop();
  });

  const at = (...names: string[]) => join(editor.home, ...names);
  const seen = (page: Page, text: string) => page.locator('.screen.shown .xterm-rows', { hasText: text });
  const row = (page: Page, name: string) =>
    page.locator('.row', { has: page.getByText(name, { exact: true }) });
  const tab = (page: Page, name: string) =>
    page.locator('#document-tabs .tab', { has: page.getByText(name, { exact: true }) });

  /** A fresh visitor. What the page complains of, or asks of another host, fails the test. */
  async function visit(options: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
    const context = await launched.browser.newContext({
      viewport: DESKTOP,
      acceptDownloads: true,
      ...options,
    });
    context.setDefaultTimeout(15_000);
    onTestFinished(() => context.close());
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('console', (line) => {
      if (['error', 'warning'].includes(line.type())) faults.push(line.text());
    });
    page.on('pageerror', (error) => faults.push(`${error}`));
    page.on('request', (asked) => {
      if (!asked.url().startsWith(url) && !asked.url().startsWith('data:'))
        faults.push(`asked ${asked.url()}`);
    });
    page.on('websocket', (socket) => {
      if (!socket.url().startsWith(url.replace('http', 'ws'))) faults.push(`asked ${socket.url()}`);
    });
    await page.goto(url);
    await row(page, 'welcome.md')
      .waitFor({ state: 'attached' })
      .catch(async () => expect.fail(`${faults}\n${await page.locator('body').innerText()}`));
    return { page, faults };
  }

  it('opens the welcome, runs a command, and shows what that made', async () => {
    const { page, faults } = await visit();
    await page.locator('.ace_content', { hasText: 'Welcome' }).waitFor();
    await page.locator('.screen.shown').click();
    await page.keyboard.type('echo "made $((6*7))" > made.txt; cat made.txt\n');
    await seen(page, 'made 42').waitFor();
    await row(page, 'made.txt').click();
    await page.locator('.ace_content', { hasText: 'made 42' }).waitFor();
    expect(await page.title()).toBe('made.txt · Workspace');
    // What changes on disk changes here.
    writeFileSync(at('made.txt'), 'changed outside\n');
    await page.locator('.ace_content', { hasText: 'changed outside' }).waitFor();
    expect(faults).toEqual([]);
  });

  it('saves what is typed, marks what is not saved, and asks before it overwrites', async () => {
    writeFileSync(at('notes.py'), 'x = 1\n');
    const { page, faults } = await visit();
    await row(page, 'notes.py').click();
    await page.locator('.ace_keyword.ace_operator', { hasText: '=' }).waitFor();
    await page.locator('.ace_content').click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type('y = 2');
    await page.locator('.tab.unsaved', { hasText: 'notes.py' }).waitFor();
    await page.keyboard.press('Control+s');
    await expect.poll(() => readFileSync(at('notes.py'), 'utf8')).toBe('x = 1\ny = 2');
    await expect.poll(() => page.locator('.tab.unsaved').count()).toBe(0);

    await page.keyboard.type('0');
    writeFileSync(at('notes.py'), 'theirs\n');
    await page.keyboard.press('Control+s');
    await page.getByRole('heading', { name: 'notes.py is not what you opened' }).waitFor();
    expect(readFileSync(at('notes.py'), 'utf8')).toBe('theirs\n');
    await page.getByRole('button', { name: 'Overwrite it' }).click();
    await expect.poll(() => readFileSync(at('notes.py'), 'utf8')).toBe('x = 1\ny = 20');
    // Chromium tells every answer of 400 and more as an error; the conflict is one.
    expect(faults).toEqual([expect.stringContaining('412')]);
  });

  it('makes, renames and deletes with the keyboard alone', async () => {
    const { page, faults } = await visit();
    await page.locator('#new-folder').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'New folder' }).waitFor();
    await page.keyboard.type('deep/er');
    await page.keyboard.press('Enter');
    await expect.poll(() => existsSync(at('deep/er'))).toBe(true);
    await row(page, 'er').and(page.locator('[aria-selected="true"]')).waitFor();
    await page.locator('.row[tabindex="0"]').focus();
    await page.keyboard.press('F2');
    await page.getByRole('heading', { name: 'Rename er' }).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('renamed');
    await page.keyboard.press('Enter');
    await page.locator('.row:focus', { hasText: 'renamed' }).waitFor();
    expect(existsSync(at('renamed'))).toBe(true);
    await page.keyboard.press('Delete');
    await page.getByRole('heading', { name: 'Delete renamed?' }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => existsSync(at('renamed'))).toBe(false);
    expect(faults).toEqual([]);
  });

  it('uploads what is chosen or dropped, refuses to show what is not text, and downloads it', async () => {
    mkdirSync(at('target'));
    const { page, faults } = await visit();
    const dataTransfer = await page.evaluateHandle(`(() => {
      const dropped = new DataTransfer();
      dropped.items.add(new File(['its content'], 'dropped.txt'));
      return dropped;
    })()`);
    await row(page, 'target').dispatchEvent('drop', { dataTransfer });
    await expect.poll(() => readdirSync(at('target'))).toEqual(['dropped.txt']);
    const buffer = Buffer.from([0, 1, 2, 255]);
    await page.locator('#upload-files').setInputFiles({ name: 'photo.bin', mimeType: 'x/y', buffer });
    await row(page, 'photo.bin').click();
    await page.getByText("photo.bin can't be shown here. This file is not text.").waitFor();
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('photo.bin');
    expect(readFileSync(await download.path())).toEqual(buffer);
    expect(faults).toEqual([expect.stringContaining('415')]);
  });

  it('finds its terminals and files again after a reload, and draws a flood without freezing', async () => {
    writeFileSync(at('kept.md'), '# Kept\n');
    const { page, faults } = await visit();
    await row(page, 'kept.md').click();
    await tab(page, 'kept.md').waitFor();
    const before = await page.locator('#terminal-tabs .tab').count();
    await page.locator('#new-terminal').click();
    await expect.poll(() => page.locator('#terminal-tabs .tab').count()).toBe(before + 1);
    await page.keyboard.type('memory=lasting; yes\n');
    await seen(page, 'y').waitFor();
    await page.keyboard.press('Control+c');
    await page.keyboard.type('clear; echo "$memory until now"\n');
    await seen(page, 'lasting until now').waitFor({ timeout: 25_000 });
    await page.reload();
    await seen(page, 'lasting until now').waitFor();
    expect(await page.locator('#terminal-tabs .tab').count()).toBe(before + 1);
    await tab(page, 'kept.md').and(page.locator('[aria-selected="true"]')).waitFor();
    await page.locator('.screen.shown').click();
    await page.keyboard.type('exit 3\n');
    await seen(page, '[ended with 3]').waitFor();
    await page.locator('.tab.ended .close').click();
    await expect.poll(() => page.locator('.tab.ended').count()).toBe(0);
    expect(faults).toEqual([]);
  });

  it.each([
    ['desktop', DESKTOP],
    ['phone', PHONE],
  ] as const)('fits a %s, and is readable in light and dark', async (name, viewport) => {
    writeFileSync(
      at('app.ts'),
      "/** Greets. */\nexport const greet = (name: string): string => 'Hello ' + name;\n",
    );
    const { page, faults } = await visit({ viewport, hasTouch: name === 'phone' });
    const view = async (title: string) => {
      if (name === 'phone') await page.locator('#views').getByText(title).click();
    };
    /** In both colours, which change while the page is open. */
    const look = async (what: string) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page
          .locator(colorScheme === 'dark' ? '.ace_dark' : '#editor:not(.ace_dark)')
          .waitFor({ state: 'attached' });
        if (screenshots !== undefined)
          await page.screenshot({ path: join(screenshots, `${name}-${colorScheme}-${what}.png`) });
        expect(await page.evaluate(FAINT_TEXTS)).toEqual([]);
      }
    };
    await view('Files');
    await row(page, 'app.ts').waitFor();
    await look('files');
    await row(page, 'app.ts').click();
    await page.locator('.ace_keyword', { hasText: 'export' }).waitFor();
    await look('editor');
    await view('Terminal');
    await page.locator('.screen.shown').click();
    await page.keyboard.type(`echo on a $((1+0)) ${name}\n`);
    await seen(page, `on a 1 ${name}`).waitFor();
    await look('terminal');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    expect(faults).toEqual([]);
  });
});
