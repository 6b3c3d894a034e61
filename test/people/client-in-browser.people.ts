import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildClient } from '../../package/client/build-client.ts';
import type * as Client from '../../runtime/client/index.ts';
import { type LaunchedBrowser, launchBrowser } from '../support/browser/launch-browser.ts';
import { HttpRelay } from '../support/http-relay.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith } from '../support/services/provided.ts';

describeWith(['chromium', 'bubblewrap'], 'the client in a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-client-'));
  let runtime: RuntimeProcess;
  let relay: HttpRelay;
  let server: Server;
  let launched: LaunchedBrowser;
  let page: Page;

  beforeAll(async () => {
    buildClient(folder);
    runtime = await RuntimeProcess.start({ env: { CONTAINER_MANAGER_TYPE: 'process' } });
    relay = await HttpRelay.open(runtime.url);
    launched = await launchBrowser();
    server = createServer((inner, answer) => {
      const { url = '/', method, headers } = inner;
      if (url === '/') return answer.setHeader('content-type', 'text/html').end('<!doctype html>');
      if (url.startsWith('/client/')) {
        answer.setHeader('content-type', 'text/javascript');
        return answer.end(readFileSync(join(folder, url.slice('/client/'.length))));
      }
      const outer = request(`${relay.url}${url}`, { method, headers }, (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        reply.pipe(answer);
        reply.on('error', () => answer.destroy());
      });
      outer.on('error', () => answer.destroy());
      answer.on('close', () => outer.destroy());
      return inner.pipe(outer);
    }).listen(launched.socket);
    page = await launched.browser.newPage();
    await page.goto(launched.origin);
    const content = `import * as client from '/client/index.js'; globalThis.client = client;`;
    await page.addScriptTag({ type: 'module', content });
    await page.waitForFunction('globalThis.client !== undefined');
  });
  afterAll(async () => {
    await launched?.close();
    server?.close();
    await relay?.[Symbol.asyncDispose]();
    await runtime?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('reads an execution over a line that breaks, moves files, runs commands, and gets errors', async () => {
    relay.fate = ({ path }) => (/execute$|events$/.test(path) ? { events: 2, end: 'cut' } : 'pass');
    const told = await page.evaluate(
      async ({ url, key }) => {
        const { Berth, BerthError } = (globalThis as unknown as { client: typeof Client }).client; // put there above
        // What is on its way through the browser's network when the line breaks may be lost with it, several times in a row.
        const conversation = new Berth({ url, key, backoffMs: 1, retries: 100 }).conversation('page');
        const input = 'import time\nfor n in range(5): print(n, flush=True); time.sleep(0.05)';
        const seqs: number[] = [];
        let text = '';
        for await (const event of conversation.execute({ user_input: input })) {
          seqs.push(event.seq);
          if (event.type === 'text_delta') text += event.text;
        }
        await conversation.files.write('größe.bin', new Uint8Array([1, 2, 255]));
        const stream = await conversation.files.read('größe.bin');
        const bytes = [...new Uint8Array(await new Response(stream).arrayBuffer())];
        const { stdout } = await conversation.exec(['echo', 'from a page']);
        const error = await conversation.files.readText('none').catch((thrown: unknown) => thrown);
        const abort = new AbortController();
        setTimeout(() => abort.abort(), 100);
        const ended = await conversation.exec(['sleep', '60'], abort).catch((thrown: unknown) => thrown);
        const code = (thrown: unknown) => (thrown instanceof BerthError ? thrown.code : String(thrown));
        return { seqs, text, bytes, stdout, codes: [code(error), code(ended)] };
      },
      { url: launched.origin, key: runtime.developmentKey },
    );
    expect(told.seqs).toEqual(told.seqs.map((_, index) => index + 1));
    expect(told).toMatchObject({
      text: '0\n1\n2\n3\n4\n',
      bytes: [1, 2, 255],
      stdout: 'from a page\n',
      codes: ['FILE_NOT_FOUND', 'ABORTED'],
    });
    expect(relay.asked('GET /v1/conversations/page/executions').length).toBeGreaterThan(1);
  });
});
