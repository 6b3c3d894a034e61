import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../support/cluster.ts';
import { FUNCTION_SERVICES, FunctionCluster } from '../support/function-cluster.ts';
import type { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith } from '../support/services/provided.ts';

const COUNTS = `let calls = 0;
  export default async ({ hang }) => {
    calls += 1;
    if (hang) await new Promise(() => {});
    return { calls };
  }`;

const LEAKS = `const kept = [];
  export default async ({ leak }) => {
    while (leak) {
      kept.push(Buffer.alloc(8 * 1024 * 1024, 1));
      await new Promise((resolve) => setImmediate(resolve));
    }
    return { kept: kept.length };
  }`;

/** A program that speaks HTTP when it is asked whether it is idle, and answers calls with whatever is to follow. */
const says = (call: string) => `import { createServer } from 'node:net';
  createServer((socket) => {
    socket.on('error', () => {});
    let heard = '';
    socket.on('data', (bytes) => {
      heard += bytes;
      if (!heard.includes('\\r\\n\\r\\n')) return;
      if (heard.startsWith('GET ')) socket.end('HTTP/1.1 200 OK\\r\\nContent-Length: 0\\r\\n\\r\\n');
      else { ${call} }
    });
  }).listen(Number(process.env.PORT), process.env.HOST);
  await new Promise(() => {});`;

const GARBAGE = [
  { what: 'no HTTP', call: `socket.end('\\0\\x01 this is no HTTP\\r\\n\\r\\n');` },
  { what: 'nothing', call: 'socket.end();' },
  { what: 'half a head', call: `socket.end('HTTP/1.1 200 OK\\r\\nContent-Le');` },
  {
    what: 'a megabyte of headers',
    call: `socket.end('HTTP/1.1 200 OK\\r\\nX-Long: ' + 'x'.repeat(1024 * 1024) + '\\r\\nContent-Length: 0\\r\\n\\r\\n');`,
  },
  {
    what: 'another protocol',
    call: `socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: other\\r\\nConnection: Upgrade\\r\\n\\r\\nother');`,
  },
];

describeWith(FUNCTION_SERVICES, 'a worker that', () => {
  let here: FunctionCluster;
  let runtime: RuntimeProcess;
  beforeAll(async () => {
    here = await FunctionCluster.open();
    runtime = await here.cluster.start();
  });
  afterAll(() => here[Symbol.asyncDispose]());

  it('died with all others before anybody has called it: the first call is answered by another', async () => {
    // Looked after once an hour: what the call finds, it finds out itself.
    await using alone = await FunctionCluster.open({ HEARTBEAT_INTERVAL: '3600' });
    const slow = await alone.cluster.start();
    const counts = await alone.define(slow, COUNTS, { min_capacity: 4, max_capacity: 4 });
    await eventually(async () => expect((await counts.pool()).idle).toBe(4));
    const dead = (await alone.workers(counts.name)).map(({ id }) => id);
    await Promise.all(dead.map((id) => alone.kill(id)));
    const answer = await counts.call();
    expect(answer).toMatchObject({ status: 200, json: { calls: 1 } });
    expect(dead).not.toContain(answer.worker);
  });

  it('dies between two calls: nobody is told of it', async () => {
    const counts = await here.define(runtime, COUNTS);
    const { worker } = await counts.call();
    await here.kill(worker);
    await eventually(async () => expect((await counts.pool()).total_workers).toBe(0));
    const next = await counts.call();
    expect(next).toMatchObject({ status: 200, json: { calls: 1 }, cold: true });
    // Between its last breath and the word of it there is a moment in which a call can be on its way already.
    await here.kill(next.worker);
    const racing = await counts.call();
    if (racing.status !== 200) expect(racing).toMatchObject({ status: 502, json: { code: 'WORKER_FAILED' } });
    expect(await counts.call()).toMatchObject({ status: 200 });
  });

  it('dies during a call: told once, the call is not made again, and its place is free', async () => {
    const counts = await here.define(runtime, COUNTS, { max_capacity: 1 });
    const { worker } = await counts.call();
    const hanging = counts.call({ hang: true });
    await eventually(async () => expect((await counts.pool()).busy).toBe(1));
    await here.kill(worker);
    expect(await hanging).toMatchObject({ status: 502, json: { code: 'WORKER_FAILED' } });
    const next = await counts.call();
    expect(next).toMatchObject({ status: 200, json: { calls: 1 }, cold: true });
    await eventually(async () => expect(await here.workers(counts.name)).toHaveLength(1));
  });

  it('hangs: told when its time is over, it is gone, and the next call is served', async () => {
    const counts = await here.define(runtime, COUNTS, { max_capacity: 1 }, { timeout_seconds: 1 });
    const hung = await counts.call({ hang: true });
    expect(hung).toMatchObject({ status: 504, json: { code: 'INVOKE_TIMEOUT' } });
    expect(await counts.call()).toMatchObject({ status: 200, json: { calls: 1 }, cold: true });
    await eventually(async () => expect(await here.workers(counts.name)).toHaveLength(1));
  });

  it.for(GARBAGE)('answers $what: told as its failure, and it is not used again', async ({ call }) => {
    const garbled = await here.define(runtime, says(call), { max_capacity: 1 });
    const met = await garbled.call();
    expect(met).toMatchObject({ status: 502, json: { code: 'WORKER_FAILED' } });
    expect(JSON.stringify(met.json)).not.toContain('HPE_');
    await eventually(async () => expect(await here.workers(garbled.name)).toEqual([]));
  });

  it('breaks off in the middle: nobody can take the answer for whole, and it is not used again', async () => {
    for (const head of [
      'Content-Length: 100\\r\\n\\r\\nhalf',
      'Transfer-Encoding: chunked\\r\\n\\r\\n4\\r\\nhalf\\r\\n',
    ]) {
      const broken = await here.define(runtime, says(`socket.end('HTTP/1.1 200 OK\\r\\n${head}');`));
      const answer = await broken.fetch();
      expect(answer.status).toBe(200);
      await expect(answer.text()).rejects.toThrow();
      await eventually(async () => expect(await here.workers(broken.name)).toEqual([]));
    }
  });

  it('stops in the middle of its answer: cut when its time is over, and it is not used again', async () => {
    const head = `HTTP/1.1 200 OK\\r\\nContent-Length: 100\\r\\n\\r\\nhalf`;
    const stalls = await here.define(runtime, says(`socket.write('${head}');`), {}, { timeout_seconds: 1 });
    const answer = await stalls.fetch();
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    await eventually(async () => expect(await here.workers(stalls.name)).toEqual([]));
  });

  it('says more than it was asked: nobody gets it for an answer', async () => {
    const twice = await here.define(
      runtime,
      says(`heard = '';
        const answer = (text) => 'HTTP/1.1 200 OK\\r\\nContent-Length: ' + text.length + '\\r\\n\\r\\n' + text;
        globalThis.calls = (globalThis.calls ?? 0) + 1;
        socket.write(answer('call ' + calls));
        setTimeout(() => socket.write(answer('unasked')), 50);`),
      { max_capacity: 1 },
    );
    const heard: string[] = [];
    for (let call = 0; call < 4; call += 1) {
      const answer = await twice.fetch();
      if (answer.status === 200) heard.push(await answer.text());
      await sleep(200);
    }
    expect(heard).toContain('call 1');
    expect(heard).not.toContain('unasked');
  });

  it('takes more memory than it has: told so, and the next call is served', async () => {
    const leaks = await here.define(runtime, LEAKS, { max_capacity: 1 }, { resources: { memory_mb: 96 } });
    const { worker } = await leaks.call();
    const met = await leaks.call({ leak: true });
    expect(met).toMatchObject({ status: 502, json: { code: 'WORKER_FAILED' } });
    expect(met.json.detail).toMatch(/out of memory/);
    expect(runtime.log).toContainEqual(
      expect.objectContaining({ container_id: worker, exit: expect.objectContaining({ oomKilled: true }) }),
    );
    expect(await leaks.call()).toMatchObject({ status: 200, json: { kept: 0 } });
  });
});
