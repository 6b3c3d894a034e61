import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FunctionCalls } from '../support/function-calls.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';

const HELLO = 'export default (request) => ({hello: request.name})';
const SLEEP =
  'export default async ({ms}) => { await new Promise((r) => setTimeout(r, ms)); return {slept: ms}; }';

/** A program of its own, which takes connections and has no word for what it does not know. */
const SILENT = `import { createServer } from 'node:http';
  createServer((request, response) => {
    if (request.method !== 'POST') return;
    let body = '';
    request.on('data', (bytes) => { body += bytes; });
    request.on('end', () => { if (!JSON.parse(body).wait) response.end('{"heard":true}'); });
  }).listen(Number(process.env.PORT), process.env.HOST);
  await new Promise(() => {});`;
const WORDS = 'def handler(request): return {"words": len(request["text"].split())}';
const SOON = { timeout: 30_000, interval: 100 };

/** What the user of a function can count on, whatever backend and store are behind it. */
export function functionsWork(
  env: () => Record<string, string>,
  runs: () => Record<string, string> = () => ({ image: 'function-node' }),
  { tellsUsage = true, python }: { tellsUsage?: boolean; python?: () => Record<string, string> } = {},
): void {
  let runtime: RuntimeProcess;
  const named = (word: string) => `${word}-${randomBytes(4).toString('hex')}`;
  const define = (word: string, source: string, more?: Record<string, unknown>) =>
    FunctionCalls.define(runtime, named(word), source, { ...runs(), ...more });
  beforeAll(async () => {
    runtime = await RuntimeProcess.start({ env: { HEARTBEAT_INTERVAL: '1', ...env() } });
  });
  afterAll(() => runtime[Symbol.asyncDispose]());

  it('answers its caller, and the next with the same worker', async () => {
    const hello = await define('hello', HELLO);
    const first = await hello.call({ name: 'Ada' });
    expect(first).toMatchObject({ status: 200, json: { hello: 'Ada' }, cold: true });
    const second = await hello.call({ name: 'Grace' });
    expect(second).toMatchObject({
      status: 200,
      json: { hello: 'Grace' },
      cold: false,
      worker: first.worker,
    });
  });

  it('gets workers up to its maximum, and then its callers wait their turn', async () => {
    const sleep = await define('burst', SLEEP, { scaling: { max_capacity: 2 } });
    const calls = await Promise.all(Array.from({ length: 6 }, () => sleep.call({ ms: 100 })));
    expect(calls.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(new Set(calls.map(({ worker }) => worker)).size).toBeLessThanOrEqual(2);
    expect((await sleep.pool()).total_workers).toBeLessThanOrEqual(2);
  });

  it('tells who waited too long, who came when too many wait, and whose call took too long', async () => {
    const slow = await define('slow', SLEEP);
    const source = { ...runs(), env: { HANDLER_SOURCE: SLEEP } };
    await slow.call({ ms: 1 });
    // Its worker stays: it is made of the same.
    await slow.put({ ...source, scaling: { acquire_timeout: 3, queue: 1 } });
    const long = slow.hold({ ms: 1 });
    await expect.poll(async () => (await slow.pool()).busy, SOON).toBe(1);
    // One of them waits, whichever comes first.
    const others = await Promise.all([slow.call({ ms: 1 }), slow.call({ ms: 1 })]);
    expect(others.toSorted((a, b) => a.status - b.status)).toMatchObject([
      { status: 429, json: { code: 'CAPACITY_EXCEEDED' } },
      { status: 503, json: { code: 'ACQUIRE_TIMEOUT' } },
    ]);
    await long.letGo();
    expect((await long.answer).status).toBe(200);

    const { worker } = await slow.call({ ms: 1 });
    await slow.put({ ...source, timeout_seconds: 1 });
    expect(await slow.call({ ms: 60_000 })).toMatchObject({ status: 504, json: { code: 'INVOKE_TIMEOUT' } });
    await expect.poll(async () => (await slow.pool()).total_workers, SOON).toBe(0);
    await slow.put(source);
    const next = await slow.call({ ms: 1 });
    expect(next.status).toBe(200);
    expect(next.worker).not.toBe(worker);
  });

  it('passes bytes, statuses and types both ways, as they come', async () => {
    const source = `export const raw = true;
      export default async (body) => {
        const chunks = [];
        for await (const chunk of body) chunks.push(chunk);
        const headers = { 'content-type': 'application/x-teapot' };
        return new Response(Buffer.concat(chunks).reverse(), { status: 418, headers });
      }`;
    const reverse = await define('reverse', source);
    const bytes = randomBytes(300_000);
    const answer = await reverse.fetch({
      body: bytes,
      headers: { 'content-type': 'application/octet-stream' },
    });
    expect(answer.status).toBe(418);
    expect(answer.headers.get('content-type')).toBe('application/x-teapot');
    expect(Buffer.from(await answer.arrayBuffer()).equals(Buffer.from(bytes).reverse())).toBe(true);
  });

  it('rolls when its definition changes, and ends when it is deleted', async () => {
    const rolled = await define('rolled', "export default () => ({ is: 'one' })");
    const old = await rolled.call();
    expect(old.json).toEqual({ is: 'one' });
    await rolled.put({
      ...runs(),
      env: { HANDLER_SOURCE: "export default () => ({ is: 'two' })" },
    });
    const fresh = await rolled.call();
    expect(fresh.json).toEqual({ is: 'two' });
    expect(fresh.worker).not.toBe(old.worker);

    expect((await rolled.delete()).status).toBe(202);
    expect(await rolled.call()).toMatchObject({ status: 404, json: { code: 'FUNCTION_NOT_FOUND' } });
    await expect
      .poll(
        async () => (await (await runtime.fetch('/metrics/containers')).text()).includes(rolled.name),
        SOON,
      )
      .toBe(false);
  });

  it('keeps its minimum ready, and goes to nothing when nobody calls', async () => {
    const warm = await define('warm', HELLO, { scaling: { min_capacity: 1, idle_timeout: 1 } });
    await expect.poll(async () => (await warm.pool()).idle, SOON).toBe(1);
    await warm.put({
      ...runs(),
      env: { HANDLER_SOURCE: HELLO },
      scaling: { min_capacity: 0, idle_timeout: 1 },
    });
    await expect.poll(async () => (await warm.pool()).total_workers, SOON).toBe(0);
  });

  it('is not told twice to a worker that died, and gets another for the next', async () => {
    const dies = await define(
      'dies',
      'export default ({die}) => { if (die) process.exit(3); return {alive: true}; }',
    );
    const { worker } = await dies.call();
    expect(await dies.call({ die: true })).toMatchObject({ status: 502, json: { code: 'WORKER_FAILED' } });
    const next = await dies.call();
    expect(next).toMatchObject({ status: 200, json: { alive: true } });
    expect(next.worker).not.toBe(worker);
  });

  it('cancels the call of who goes away, and uses the worker again once it is free', async () => {
    const source = `let cancelled = 0;
      export default async ({wait}, {signal}) => {
        if (wait) await new Promise((resolve) => signal.addEventListener('abort', () => { cancelled += 1; resolve(); }));
        return {cancelled};
      }`;
    const patient = await define('patient', source);
    const { worker } = await patient.call();
    const gone = new AbortController();
    const call = patient.call({ wait: true }, { signal: gone.signal }).catch((error) => error.name);
    await expect.poll(async () => (await patient.pool()).busy, SOON).toBe(1);
    gone.abort();
    expect(await call).toBe('AbortError');
    expect(await patient.call()).toMatchObject({ status: 200, json: { cancelled: 1 }, worker });
  });

  it('is there once its program takes connections, be it silent to all but calls', async () => {
    const silent = await define('silent', SILENT);
    const first = await silent.call();
    expect(first).toMatchObject({ status: 200, json: { heard: true }, cold: true });
    expect(await silent.call()).toMatchObject({ status: 200, worker: first.worker, cold: false });

    // It can't say that it has given up a call: so it is not used after one.
    const gone = new AbortController();
    const call = silent.call({ wait: true }, { signal: gone.signal }).catch((error) => error.name);
    await expect.poll(async () => (await silent.pool()).busy, SOON).toBe(1);
    gone.abort();
    expect(await call).toBe('AbortError');
    const next = await silent.call();
    expect(next).toMatchObject({ status: 200, cold: true });
    expect(next.worker).not.toBe(first.worker);
  });

  if (python !== undefined)
    it('runs Python as it runs JavaScript', async () => {
      const words = await FunctionCalls.define(runtime, named('words'), WORDS, python());
      const first = await words.call({ text: 'to be or not to be' });
      expect(first).toMatchObject({ status: 200, json: { words: 6 }, cold: true });
      const second = await words.call({ text: 'again' });
      expect(second).toMatchObject({ status: 200, json: { words: 1 }, worker: first.worker });
    });

  it('says what its workers use', async () => {
    const seen = await define('seen', HELLO);
    const { worker } = await seen.call({ name: 'Ada' });
    const answer = await runtime.fetch('/metrics/containers');
    expect(answer.status).toBe(200);
    const { containers } = (await answer.json()) as { containers: Record<string, unknown>[] };
    const figure = tellsUsage ? expect.any(Number) : null;
    expect(containers.find(({ container_id }) => container_id === worker)).toMatchObject({
      function_name: seen.name,
      state: 'idle',
      memory_current: figure,
      cpu_usage_ns: figure,
    });
  });
}
