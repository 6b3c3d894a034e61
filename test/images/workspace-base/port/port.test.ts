import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { listenAsApp, startPort } from './running-port.ts';

const MiB = 1024 * 1024;

describe('the socket that leads to an app', () => {
  it('carries bytes both ways, and what one side ends is ended for the other', async () => {
    const port = await startPort();
    await port.ready();
    // Answers only once it has been sent everything.
    await using _app = await listenAsApp(port.app, async (socket) => {
      const got = await buffer(socket);
      socket.end(`${got.length} ${createHash('sha256').update(got).digest('hex')}`);
    });
    const sent = Buffer.alloc(8 * MiB, 'berth');
    const client = await port.dial();
    client.end(sent);
    expect(await text(client)).toBe(`${sent.length} ${createHash('sha256').update(sent).digest('hex')}`);
  });

  it('lets an app end first and hear the rest', async () => {
    const port = await startPort();
    await port.ready();
    const heard = Promise.withResolvers<string>();
    await using _app = await listenAsApp(port.app, (socket) => {
      socket.end('all I have to say');
      text(socket).then(heard.resolve, heard.reject);
    });
    const client = await port.dial();
    let got = '';
    client.on('data', (piece) => {
      got += piece;
    });
    await once(client, 'end');
    expect(got).toBe('all I have to say');
    client.end('and you');
    expect(await heard.promise).toBe('and you');
  });

  it('is closed at once while no app listens', async () => {
    const port = await startPort();
    await port.ready();
    const client = await port.dial();
    expect(await text(client)).toBe('');
  });

  it('breaks off what the app breaks off', async () => {
    const port = await startPort();
    await port.ready();
    await using _app = await listenAsApp(port.app, (socket) => {
      socket.once('data', () => socket.resetAndDestroy());
    });
    const client = await port.dial();
    client.write('hello');
    await once(client.resume(), 'end');
  });

  it('tells the app when a client has gone, also one in the middle of an answer', async () => {
    const port = await startPort();
    await port.ready();
    const closed = Promise.withResolvers<void>();
    await using _app = await listenAsApp(port.app, (socket) => {
      // One that minds nothing but what it writes.
      const ticking = setInterval(() => socket.write('tick'), 5);
      socket.once('close', () => {
        clearInterval(ticking);
        closed.resolve();
      });
    });
    const client = await port.dial();
    await once(client, 'data');
    client.destroy();
    await closed.promise;
  });

  it('holds little in memory for a client that reads slowly', async () => {
    const port = await startPort();
    await port.ready();
    let written = 0;
    await using _app = await listenAsApp(port.app, (socket) => {
      const piece = Buffer.alloc(64 * 1024);
      const pour = () => {
        while (!socket.destroyed && written < 200 * MiB) {
          written += piece.length;
          if (!socket.write(piece)) return;
        }
      };
      socket.on('drain', pour);
      pour();
    });
    const client = await port.dial();
    // Until nothing more goes in: what is on its way fits into buffers.
    let before = -1;
    await vi.waitFor(
      () => {
        const still = written > 0 && before === written;
        before = written;
        expect(still).toBe(true);
      },
      { interval: 200, timeout: 20_000 },
    );
    expect(written).toBeLessThan(32 * MiB);
    client.destroy();
  });

  it('may be dialled by everyone who can see it: the runtime has another user', async () => {
    const port = await startPort();
    await port.ready();
    expect(statSync(port.socket).mode & 0o777).toBe(0o666);
  });
});

describe("the port of an app's egress proxy", () => {
  it("leads to the proxy's socket, and says so while there is none", async () => {
    const port = await startPort();
    await port.ready();
    const ask = () => fetch(`http://127.0.0.1:${port.proxy}/x`).then((answer) => answer.text());
    expect(await ask()).toContain('egress proxy does not answer');
    await using proxy = createServer((request, response) => response.end(`proxied ${request.url}`));
    proxy.listen(port.proxySocket);
    await once(proxy, 'listening');
    expect(await ask()).toBe('proxied /x');
  });

  it('that is taken ends the program, with a word which', async () => {
    const first = await startPort();
    await first.ready();
    const second = await startPort({ env: { PORT_PROXY_PORT: String(first.proxy) } });
    expect(await second.exitCode()).toBe(1);
    expect(await second.output).toContain(`port ${first.proxy} for the egress proxy can't be opened`);
  });
});

it.each([
  ['PORT_SOCKET', '', 'PORT_SOCKET is required'],
  ['PORT_APP', '70000', 'PORT_APP is a port'],
  ['PORT_PROXY_PORT', 'x', 'PORT_PROXY_PORT is a port'],
])('a setting that makes no sense is named: %s=%s', async (name, value, words) => {
  const port = await startPort({ env: { [name]: value } });
  expect(await port.exitCode()).toBe(1);
  expect(await port.output).toContain(words);
});

describe('an app that is started by its port', () => {
  const script = (code: string) => [process.execPath, '-e', code];

  it('starts once the socket was moved and dialled, not before', async () => {
    const port = await startPort({ command: script('console.log("started at", Date.now())') });
    await vi.waitFor(() => statSync(port.socket), { timeout: 10_000 });
    const dialled = Date.now();
    await port.ready();
    expect(await port.exitCode()).toBe(0);
    expect(Number(/started at (\d+)/.exec(await port.output)?.[1])).toBeGreaterThanOrEqual(dialled);
  });

  it('has its own environment, without the settings of the port, and ends it with its own exit code', async () => {
    const port = await startPort({
      command: script('console.log(JSON.stringify(process.env)); process.exit(7)'),
      env: { OWN: 'yes' },
    });
    await port.ready();
    expect(await port.exitCode()).toBe(7);
    const env = JSON.parse(await port.output);
    expect(env).toMatchObject({ OWN: 'yes', PORT: String(port.app) });
    expect(Object.keys(env).filter((name) => name.startsWith('PORT_'))).toEqual([]);
  });

  it('is told to leave when its port is', async () => {
    const port = await startPort({
      command: script(
        'process.on("SIGTERM", () => process.exit(9)); setInterval(() => {}, 1000); require("fs").writeFileSync(process.env.READY, "")',
      ),
      env: { READY: `/tmp/berth-port-${process.pid}` },
    });
    await port.ready();
    await vi.waitFor(() => readFileSync(`/tmp/berth-port-${process.pid}`), { timeout: 10_000 });
    rmSync(`/tmp/berth-port-${process.pid}`);
    port.child.kill('SIGTERM');
    expect(await port.exitCode()).toBe(9);
  });

  it('that does not exist is named', async () => {
    const port = await startPort({ command: ['/no/such/program'] });
    await port.ready();
    expect(await port.exitCode()).toBe(127);
    expect(await port.output).toContain("the app can't be started");
  });
});
