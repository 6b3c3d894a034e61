import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';
import { hashApiKey } from '../../runtime/access/api-key.ts';
import { type LaunchedBrowser, launchBrowser } from '../support/browser/launch-browser.ts';
import { removeContainers } from '../support/remove-containers.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { docker, workspaceImage } from '../support/services/provided.ts';

export const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 360, height: 740 };
export const PATIENCE = 60_000;

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Keys of two tenants, and of an operator who is none of them. */
export const KEYS = { acme: 'acme-use-key', globex: 'globex-use-key', ops: 'ops-admin-key' };

/** A runtime with its dashboard in a browser that can reach nothing else. */
export class DashboardWorld implements AsyncDisposable {
  readonly runtime: RuntimeProcess;
  readonly launched: LaunchedBrowser;
  readonly #relay: Server;
  readonly #lines: Set<Socket>;
  readonly #installation: string;

  private constructor(
    runtime: RuntimeProcess,
    launched: LaunchedBrowser,
    relay: { server: Server; lines: Set<Socket> },
    installation: string,
  ) {
    this.runtime = runtime;
    this.launched = launched;
    this.#relay = relay.server;
    this.#lines = relay.lines;
    this.#installation = installation;
  }

  static async start(installation: string, env: Record<string, string> = {}): Promise<DashboardWorld> {
    const key = (name: keyof typeof KEYS, scope: string) => ({
      name,
      tenant: name,
      scope,
      sha256: hashApiKey(KEYS[name]),
    });
    const runtime = await RuntimeProcess.start({
      env: {
        CONTAINER_MANAGER_TYPE: 'docker',
        DOCKER_HOST: docker().host,
        WORKSPACE_IMAGE: workspaceImage(),
        BERTH_INSTALLATION: installation,
        BERTH_API_KEYS: JSON.stringify([key('acme', 'use'), key('globex', 'use'), key('ops', 'admin')]),
        ...env,
      },
    });
    const launched = await launchBrowser();
    const { port } = new URL(runtime.url);
    // Bytes as they are: WebSockets, too.
    const lines = new Set<Socket>();
    const server = createServer((inner) => {
      lines.add(inner.once('close', () => lines.delete(inner)));
      const outer = connect(Number(port), '127.0.0.1');
      inner.on('error', () => outer.destroy()).on('close', () => outer.destroy());
      outer.on('error', () => inner.destroy()).on('close', () => inner.destroy());
      inner.pipe(outer).pipe(inner);
    }).listen(launched.socket);
    return new DashboardWorld(runtime, launched, { server, lines }, installation);
  }

  /** Every connection of every visitor is lost. */
  cut(): void {
    for (const line of this.#lines) line.destroy();
  }

  /** A fresh visitor who signs in. What the page complains of, or asks of another host, is among the faults. */
  async visit(key: string, options: BrowserContextOptions = {}): Promise<{ page: Page; faults: string[] }> {
    const { browser, origin } = this.launched;
    const context = await browser.newContext({ viewport: DESKTOP, acceptDownloads: true, ...options });
    context.setDefaultTimeout(PATIENCE);
    onTestFinished(() => context.close());
    const faults: string[] = [];
    await context.exposeFunction('tellFault', (fault: string) => faults.push(fault));
    await context.addInitScript(`
      addEventListener('securitypolicyviolation', (event) =>
        tellFault('policy: ' + event.violatedDirective + ' ' + event.blockedURI));`);
    const page = await context.newPage();
    page.on('console', (line) => {
      // Chromium tells every answer of 400 and more as an error.
      const isAnswer = line.text().startsWith('Failed to load resource');
      if (['error', 'warning'].includes(line.type()) && !isAnswer) faults.push(line.text());
    });
    page.on('pageerror', (error) => faults.push(`${error}`));
    page.on('dialog', (dialog) => {
      faults.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on('request', (asked) => {
      const isOurs = [`${origin}/`, 'data:', `blob:${origin}/`].some((start) =>
        asked.url().startsWith(start),
      );
      if (!isOurs) faults.push(`asked ${asked.url()}`);
    });
    await page.goto(`${origin}/`);
    await page.getByLabel('API key').fill(key);
    await page.keyboard.press('Enter');
    await page.locator('#nav a[aria-current]').waitFor();
    await page.locator('#identity b').waitFor({ state: 'attached' });
    return { page, faults };
  }

  async go(page: Page, hash: string): Promise<void> {
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
  }

  /** What axe finds wrong with the page as it is, of WCAG 2 A and AA. */
  async barriers(page: Page): Promise<string[]> {
    await page.evaluate(
      `(() => { const module = undefined, exports = undefined; ${axe}; globalThis.axe ??= axe; })()`,
    );
    const found: { id: string; nodes: { html: string; failureSummary: string }[] }[] = await page.evaluate(
      `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then((r) => r.violations)`,
    );
    return found.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.launched.close();
    this.#relay.close();
    await this.runtime[Symbol.asyncDispose]();
    await removeContainers(docker().host, this.#installation);
  }
}

/** Presses what asks to be sure, with what must be typed first. */
export async function confirm(page: Page, act: string, typed?: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  if (typed !== undefined) {
    await expect(dialog.getByRole('button', { name: act }).isDisabled()).resolves.toBe(true);
    await dialog.getByRole('textbox').fill(typed);
  }
  await dialog.getByRole('button', { name: act }).click();
  await dialog.waitFor({ state: 'detached' });
}
