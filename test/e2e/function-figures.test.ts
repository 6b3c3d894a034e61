import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectEngine } from '../../images/builder/engine.ts';
import { FunctionCalls } from '../support/function-calls.ts';
import { must } from '../support/must.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith, docker, functionNodeImage, workspaceImage } from '../support/services/provided.ts';

const SOON = { timeout: 30_000, interval: 100 };
const named = (word: string) => `${word}-${randomBytes(4).toString('hex')}`;

const DOES = `export default async ({ what }) => {
  if (what === 'hang') await new Promise(() => {});
  if (what === 'die') process.exit(3);
  return {};
}`;

describeWith('bubblewrap', 'the figures of functions, for Prometheus', () => {
  let runtime: RuntimeProcess;
  beforeAll(async () => {
    runtime = await RuntimeProcess.start({
      env: { CONTAINER_MANAGER_TYPE: 'process', HEARTBEAT_INTERVAL: '1' },
    });
  });
  afterAll(() => runtime[Symbol.asyncDispose]());

  /** Nothing is 0. */
  async function figure(name: string): Promise<number> {
    const text = await (await runtime.fetch('/metrics')).text();
    const line = text.split('\n').find((each) => each.startsWith(`workspace_function_${name} `));
    return Number(line?.split(' ')[1] ?? 0);
  }
  const invocations = (outcome: string) => figure(`invocations_total{outcome="${outcome}"}`);
  const workers = (state: string) => figure(`workers{state="${state}"}`);

  it('count calls by how they ended, first calls, the wait of each, and workers by what they do', async () => {
    expect(await invocations('answered')).toBe(0);
    expect(await figure('cold_starts_total')).toBe(0);
    const does = await FunctionCalls.define(runtime, named('does'), DOES);
    const runs = { image: 'function-node', env: { HANDLER_SOURCE: DOES } };
    expect((await does.call()).status).toBe(200);
    expect((await does.call()).status).toBe(200);
    await expect.poll(() => invocations('answered'), SOON).toBe(2);
    expect(await figure('cold_starts_total')).toBe(1);
    expect(await figure('queue_seconds_count')).toBe(2);
    await expect.poll(() => workers('idle'), SOON).toBe(1);

    // One waits for as long as another has the only worker.
    const held = does.hold();
    await expect.poll(() => workers('busy'), SOON).toBe(1);
    expect(await workers('idle')).toBe(0);
    const before = await figure('queue_seconds_sum');
    const waits = does.call();
    await new Promise((resolve) => setTimeout(resolve, 3_000)); // the figure is a time
    await held.letGo();
    expect((await held.answer).status).toBe(200);
    expect((await waits).status).toBe(200);
    await expect.poll(() => figure('queue_seconds_count'), SOON).toBe(4);
    // It may take a while to be where it waits.
    expect((await figure('queue_seconds_sum')) - before).toBeGreaterThan(0.5);

    const gone = new AbortController();
    const cancelled = does.call({ what: 'hang' }, { signal: gone.signal }).catch((error) => error.name);
    await expect.poll(() => workers('busy'), SOON).toBe(1);
    gone.abort();
    expect(await cancelled).toBe('AbortError');
    await expect.poll(() => invocations('cancelled'), SOON).toBe(1);

    expect((await does.call({ what: 'die' })).status).toBe(502);
    await expect.poll(() => invocations('worker_failed'), SOON).toBe(1);
    await does.put({ ...runs, timeout_seconds: 1 });
    expect((await does.call({ what: 'hang' })).status).toBe(504);
    await expect.poll(() => invocations('timeout'), SOON).toBe(1);

    await does.put(runs);
    expect((await does.call()).status).toBe(200);
    await does.put({ ...runs, scaling: { acquire_timeout: 0.1 } });
    await expect.poll(() => workers('idle'), SOON).toBe(1);
    const second = does.hold();
    await expect.poll(() => workers('busy'), SOON).toBe(1);
    const none = await invocations('no_worker');
    expect((await does.call()).json.code).toBe('ACQUIRE_TIMEOUT');
    await expect.poll(() => invocations('no_worker'), SOON).toBe(none + 1);
    await second.letGo();
    expect((await second.answer).status).toBe(200);

    await does.delete();
    await expect.poll(() => workers('idle'), SOON).toBe(0);
  }, 120_000);
});

/** Takes more memory than there is, if told to. It closes every connection, so that its end is seen by nobody. */
const EATS = `import { createServer } from 'node:http';
  const kept = [];
  const eat = () => setInterval(() => kept.push(Buffer.alloc(8 * 1024 * 1024, 1)), 1);
  createServer(async (request, response) => {
    let body = '';
    for await (const bytes of request) body += bytes;
    response.setHeader('connection', 'close');
    response.on('close', () => { if (body.includes('hungry')) eat(); });
    response.end('{}');
  }).listen(Number(process.env.PORT), process.env.HOST);
  await new Promise(() => {});`;

describeWith(
  ['docker', 'workspace-base-image', 'function-node-image'],
  'the figures of containers on Docker',
  () => {
    it('tell the memory that a worker may have, that it was killed for more, and how it ended', async () => {
      await using runtime = await RuntimeProcess.start({
        env: {
          CONTAINER_MANAGER_TYPE: 'docker',
          DOCKER_HOST: docker().host,
          WORKSPACE_IMAGE: workspaceImage(),
          ALLOWED_IMAGES: functionNodeImage(),
          HEARTBEAT_INTERVAL: '3600', // nobody looks after what has ended
        },
      });
      const eats = await FunctionCalls.define(runtime, named('eats'), EATS, {
        image: functionNodeImage(),
        resources: { memory_mb: 128 },
      });
      const { status, worker } = await eats.call();
      expect(status).toBe(200);
      async function shown(): Promise<Record<string, unknown> | undefined> {
        const answer = await runtime.fetch('/metrics/containers');
        const { containers } = (await answer.json()) as { containers: Record<string, unknown>[] };
        return containers.find(({ container_id }) => container_id === worker);
      }
      const memory_max = 128 * 1024 ** 2;
      await expect.poll(shown, SOON).toMatchObject({ memory_max, oom_events: 0, exit_code: null });

      expect((await eats.call({ hungry: true })).worker).toBe(worker);
      await expect.poll(shown, SOON).toMatchObject({
        exit_code: 137,
        exit_time: expect.any(String),
        memory_current: null,
      });
      // On a busy machine an engine may learn of the end first, and then never says why.
      const { State } = await connectEngine(docker().host).getContainer(must(worker)).inspect();
      expect(await shown()).toMatchObject({ oom_events: Number(State.OOMKilled) });
    }, 120_000);
  },
);
