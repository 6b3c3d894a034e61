import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium as playwright } from 'playwright-core';
import { bubblewrap, chromium } from '../services/provided.ts';

const PORT = 8080;
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-sync'],
  ...['--disable-background-networking', '--disable-component-update'],
];
const main = new URL('./namespace-main.ts', import.meta.url).pathname;

export interface LaunchedBrowser {
  readonly browser: Browser;
  /** Where a server has to listen to be all that the browser can reach. */
  readonly socket: string;
  /** What the browser calls that server. */
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * A browser in a network of its own, where there is one server and nothing else. Elsewhere Chromium breaks off every
 * request, also those to loopback, when any interface of the machine comes or goes, as they do with containers.
 */
export async function launchBrowser(): Promise<LaunchedBrowser> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-browser-'));
  const socket = join(folder, 'server.sock');
  const program = join(folder, 'browser');
  const sandbox = [bubblewrap().path, '--dev-bind', '/', '/', '--unshare-net', '--die-with-parent'];
  const command = [...sandbox, process.execPath, main, `${PORT}`, socket, chromium().path];
  writeFileSync(program, `#!/bin/sh\nexec ${command.map((word) => `'${word}'`).join(' ')} "$@"\n`, {
    mode: 0o755,
  });
  const browser = await playwright.launch({ executablePath: program, args: FLAGS });
  return {
    browser,
    socket,
    origin: `http://127.0.0.1:${PORT}`,
    async close() {
      await browser.close();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
