import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import { expect, it } from 'vitest';
import { type Language, RunningWorker } from './running-worker.ts';

/** One handler a sentence, in the language under test. */
export interface Handlers {
  /** `{hello: request.name}` */
  hello: string;
  helloLater: string;
  /** `{method, path, test}`: the last from the header x-test. */
  tellCall: string;
  nothing: string;
  text: string;
  bytes: string;
  /** 'one' and 'two', the latter once the file `released` is there. */
  stream: string;
  /** A teapot: 418, x-kind: tea, and JSON. */
  reply: string;
  /** Fails with 'no luck'. */
  fails: string;
  /** As a client of the handler's own does that reaches nobody. */
  failsToConnect: string;
  failsAtFirstPiece: string;
  /** Once the file `released` is there. */
  failsAtSecondPiece: string;
  notJson: string;
  /** Reads the stream, and tells its length. */
  counts: string;
  /** Prints `began`, waits for `released`, and answers `done`. */
  waits: string;
  /** Prints `began`, and `noticed` when the caller has gone. */
  noticesDeparture: string;
  broken: string;
  noFunction: string;
}

const MiB = 1024 * 1024;

/** What every worker of ours does with a handler, whatever its language. */
export function workerContract(language: Language, handlers: Handlers, extension: string): void {
  const start = (name: keyof Handlers) => RunningWorker.start(language, handlers[name]);

  it('answers JSON to JSON, at any path and by any content type', async () => {
    for (const name of ['hello', 'helloLater'] as const) {
      const worker = await start(name);
      expect(await worker.ask({ name: 'Ada 🦆' })).toEqual([200, { hello: 'Ada 🦆' }]);
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await fetch(`${worker.url}2015-03-31/functions/function/invocations`, {
        method: 'POST',
        body: '{"name":"Bob"}',
        headers,
      });
      expect(answer.headers.get('content-type')).toBe('application/json');
      expect(await answer.json()).toEqual({ hello: 'Bob' });
    }
  });

  it('takes a body of unknown length, and many calls at once', async () => {
    const worker = await start('hello');
    const body = () => new Blob(['{"na', 'me":"', 'x'.repeat(300_000), '"}']).stream();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => worker.post(undefined, { body: body(), duplex: 'half' })),
    );
    for (const answer of answers) expect(await answer.json()).toEqual({ hello: 'x'.repeat(300_000) });
  });

  it('tells the handler of the call: its method, its path and its headers', async () => {
    const worker = await start('tellCall');
    const answer = await fetch(`${worker.url}some/where?x=1`, {
      method: 'PUT',
      headers: { 'X-Test': 'told' },
    });
    expect(await answer.json()).toEqual({ method: 'PUT', path: '/some/where?x=1', test: 'told' });
  });

  it('sends text, bytes, nothing and a reply as what they are', async () => {
    const get = async (name: keyof Handlers) => (await start(name)).post('{}');
    const text = await get('text');
    expect(text.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await text.text()).toBe('plain ä');
    const bytes = await get('bytes');
    expect(bytes.headers.get('content-type')).toBe('application/octet-stream');
    expect([...new Uint8Array(await bytes.arrayBuffer())]).toEqual([0, 255, 10]);
    expect(await (await get('nothing')).json()).toBeNull();
    const reply = await get('reply');
    expect([reply.status, reply.headers.get('x-kind')]).toEqual([418, 'tea']);
    expect(reply.headers.get('content-type')).toBe('application/json');
    expect(await reply.json()).toEqual({ short: true });
  });

  it('sends the pieces of a stream as they come', async () => {
    const worker = await start('stream');
    const { body } = await worker.post('{}');
    const reader = body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('one');
    worker.release();
    expect((await reader?.read())?.value).toBe('two');
    expect((await reader?.read())?.done).toBe(true);
    const head = await fetch(worker.url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-type')]).toEqual([200, 'application/octet-stream']);
    expect(await (await worker.post('{}')).text()).toBe('onetwo');
  });

  it('tells the caller what failed, and the log where', async () => {
    const worker = await start('fails');
    const [status, answer] = await worker.ask({});
    expect(status).toBe(500);
    expect(answer).toEqual({ error: expect.stringContaining('no luck') });
    await worker.untilItSays(new RegExp(`handler\\.${extension}[":].*`));
    expect(await worker.ask({})).toMatchObject([500, {}]);
    expect(await (await start('failsToConnect')).ask({})).toMatchObject([
      500,
      { error: expect.stringContaining('refused') },
    ]);
    expect(await (await start('failsAtFirstPiece')).ask({})).toMatchObject([
      500,
      { error: expect.stringContaining('no luck') },
    ]);
    expect(await (await start('notJson')).ask({})).toMatchObject([500, { error: expect.any(String) }]);
  });

  it('cuts a stream short that fails once it has begun', async () => {
    const worker = await start('failsAtSecondPiece');
    const answer = await worker.post('{}');
    expect(answer.status).toBe(200);
    worker.release();
    await expect(answer.text()).rejects.toThrow();
    await worker.untilItSays(/no luck/);
  });

  it('refuses what is not JSON, and what is longer than 10 MiB', async () => {
    const worker = await start('hello');
    const bad = await worker.post('{"name":');
    expect([bad.status, await bad.json()]).toEqual([
      400,
      { error: expect.stringContaining('the body is not JSON') },
    ]);
    const fits = JSON.stringify({ name: 'x'.repeat(10 * MiB - '{"name":""}'.length) });
    expect((await worker.post(fits)).status).toBe(200);
    const long = await worker.post(`${fits} `);
    expect([long.status, await long.json()]).toEqual([
      413,
      { error: 'the body has 10485761 bytes; 10485760 is the most' },
    ]);
    expect(await worker.ask({ name: 'still' })).toEqual([200, { hello: 'still' }]);
  });

  it('gives the body as a stream, of any length, to a handler that wants it so', async () => {
    const worker = await start('counts');
    const answer = await worker.post(new Uint8Array(11 * MiB));
    expect(await answer.json()).toEqual({ bytes: 11 * MiB });
    const chunked = new Blob([new Uint8Array(70_000), 'x']).stream();
    const other = await worker.post(undefined, { body: chunked, duplex: 'half' });
    expect(await other.json()).toEqual({ bytes: 70_001 });
  });

  it('tells the handler when the caller has gone', async () => {
    const worker = await start('noticesDeparture');
    const leave = new AbortController();
    const call = worker.post('{}', { signal: leave.signal });
    await worker.untilItSays(/began/);
    expect(worker.output).not.toContain('noticed');
    leave.abort();
    await expect(call).rejects.toThrow();
    await worker.untilItSays(/noticed/);
    expect(worker.child.exitCode).toBeNull();
  });

  it('has nothing to say of callers that go before they have sent all', async () => {
    const worker = await start('hello');
    const begin = [
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{',
      'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"nam\r\n',
    ];
    for (const bytes of begin) {
      const caller = connect({ port: worker.port, host: '127.0.0.1' });
      caller.end(bytes);
      await finished(caller.resume()).catch(() => {}); // however it ends
    }
    expect(await worker.ask({ name: 'next' })).toEqual([200, { hello: 'next' }]);
    expect(worker.output).toMatch(/^function: listens on \d+\n$/);
  });

  it('refuses a body that it can not tell the end of', async () => {
    const worker = await start('hello');
    for (const head of [
      'Content-Length: x',
      'Transfer-Encoding: gzip',
      'Transfer-Encoding: chunked\r\n\r\n-1',
    ]) {
      const caller = connect({ port: worker.port, host: '127.0.0.1' });
      caller.write(`POST / HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n`);
      expect(await text(caller)).toMatch(/^HTTP\/1\.1 (400|501) /);
    }
    expect(await worker.ask({ name: 'next' })).toEqual([200, { hello: 'next' }]);
  });

  it('says whether a handler runs, also one whose caller has gone', async () => {
    const worker = await start('waits');
    const idle = async () => {
      const answer = await fetch(`${worker.url}_berth/idle`);
      return [answer.status, await answer.json()];
    };
    expect(await idle()).toEqual([200, { idle: true }]);
    const gone = new AbortController();
    const call = worker.post('{}', { signal: gone.signal }).catch(() => undefined);
    await worker.untilItSays(/began/);
    expect(await idle()).toEqual([503, { idle: false }]);
    gone.abort();
    await call;
    expect(await idle()).toEqual([503, { idle: false }]);
    worker.release();
    await expect.poll(idle).toEqual([200, { idle: true }]);
  });

  it('ends at SIGTERM: at once when it is idle, else after the call under way', async () => {
    const idle = await start('hello');
    // The connection of this call is kept open.
    await idle.ask({ name: 'x' });
    idle.child.kill('SIGTERM');
    expect(await idle.exitCode()).toBe(0);
    const busy = await start('waits');
    const call = busy.post('{}');
    await busy.untilItSays(/began/);
    busy.child.kill('SIGTERM');
    await expect.poll(() => refusesConnections(busy.port), { timeout: 10_000 }).toBe(true);
    expect(busy.child.exitCode).toBeNull();
    busy.release();
    expect(await (await call).text()).toBe('done');
    expect(await busy.exitCode()).toBe(0);
  });

  it('loads a file', async () => {
    const file = `handler.${extension}`;
    const worker = RunningWorker.spawn(language, { HANDLER_FILE: file }, { [file]: handlers.hello });
    worker.port = Number(await worker.untilItSays(/listens on (\d+)/));
    expect(await worker.ask({ name: 'file' })).toEqual([200, { hello: 'file' }]);
  });

  it('says why it can not be started, and ends without having listened', async () => {
    const said = async (env: Record<string, string>) => {
      const worker = RunningWorker.spawn(language, env);
      expect(await worker.exitCode()).toBe(2);
      expect(worker.output).not.toContain('listens');
      return worker.output;
    };
    expect(await said({ HANDLER_SOURCE: handlers.broken })).toMatch(
      /^function: HANDLER_SOURCE can't be loaded: .*SyntaxError/ms,
    );
    expect(await said({ HANDLER_SOURCE: handlers.noFunction })).toMatch(
      /^function: HANDLER_SOURCE has no function/m,
    );
    expect(await said({ HANDLER_FILE: '/no/such/file.mjs' })).toMatch(
      /^function: \/no\/such\/file.mjs can't be loaded/m,
    );
    expect(await said({ HANDLER_SOURCE: handlers.hello, PORT: 'x' })).toMatch(
      /^function: PORT is not a port: x$/m,
    );
  });
}

async function refusesConnections(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const probe = connect({ port, host: '127.0.0.1' });
  probe.on('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  probe.on('connect', () => resolve(false));
  return promise.finally(() => probe.destroy());
}
