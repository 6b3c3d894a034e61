import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'vitest';
import { eventually } from '../support/cluster.ts';
import { onEngine } from '../support/container-place.ts';
import { FunctionCalls } from '../support/function-calls.ts';
import { FUNCTION_SERVICES, FunctionCluster } from '../support/function-cluster.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith, functionNodeImage } from '../support/services/provided.ts';

const SLEEPS = `export default async ({ ms = 0 }) => {
  await new Promise((resolve) => setTimeout(resolve, ms));
  return { version: process.env.VERSION };
}`;
const definition = (version: string) => ({
  image: functionNodeImage(),
  env: { HANDLER_SOURCE: SLEEPS, VERSION: version },
  scaling: { max_capacity: 2 },
});

describeWith(FUNCTION_SERVICES, 'a call under way', () => {
  it.concurrent('when its function changes: is answered by what it was, which then ends', async ({
    expect,
  }) => {
    await using here = await FunctionCluster.open();
    const [one, two] = [await here.cluster.start(), await here.cluster.start()];
    const ofOne = await here.define(one, SLEEPS, {}, definition('old'));
    await here.warm(ofOne, 2);
    const old = [ofOne.hold(), ofOne.at(two).hold()];
    await eventually(async () => expect((await ofOne.pool()).busy).toBe(2));
    await ofOne.put(definition('new'));
    await Promise.all(old.map((each) => each.letGo()));
    const answers = await Promise.all(old.map(({ answer }) => answer));
    expect(answers.map(({ json }) => json)).toEqual([{ version: 'old' }, { version: 'old' }]);
    const next = await ofOne.call();
    expect(next.json).toEqual({ version: 'new' });
    await eventually(async () => expect((await here.workers()).map(({ id }) => id)).toEqual([next.worker]));
  });

  it.concurrent('when its runtime is told to stop: is answered, however long it takes within the grace period', async ({
    expect,
  }) => {
    await using here = await FunctionCluster.open();
    const other = await here.cluster.start(); // looks after the workers of all
    const stopping = await here.cluster.start({ GRACE_PERIOD_SECONDS: '60' });
    const ofOther = await here.define(other, SLEEPS, {}, definition('one'));
    await here.warm(ofOther, 1);
    // Longer than an instance may be silent.
    const call = ofOther.at(stopping).call({ ms: 19_000 });
    await eventually(async () => expect((await ofOther.pool()).busy).toBe(1));
    const ended = stopping.stop('SIGTERM');
    const { status, worker } = await call;
    expect(status).toBe(200);
    expect(await ended).toBe(0);
    expect(await ofOther.call()).toMatchObject({ status: 200, worker, cold: false });
  });

  it.concurrent('when its runtime stops before it is over: is told so, and its worker is not used again', async ({
    expect,
  }) => {
    await using here = await FunctionCluster.open();
    const other = await here.cluster.start();
    const stopping = await here.cluster.start({ GRACE_PERIOD_SECONDS: '0.5' });
    const ofOther = await here.define(other, SLEEPS, {}, definition('one'));
    await here.warm(ofOther, 1);
    const call = ofOther.at(stopping).call({ ms: 60_000 });
    await eventually(async () => expect((await ofOther.pool()).busy).toBe(1));
    const ended = stopping.stop('SIGTERM');
    expect(await call).toMatchObject({ status: 503, json: { code: 'SHUTTING_DOWN' } });
    expect(await ended).toBe(0);
    await eventually(async () => expect(await here.workers()).toEqual([]));
    expect(await ofOther.call()).toMatchObject({ status: 200, cold: true });
  });

  it.concurrent('when a runtime alone is killed: the next start ends its worker, and knows the function', async ({
    expect,
  }) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'berth-'));
    const { env } = onEngine();
    const start = () =>
      RuntimeProcess.start({ dataDir, env: { ...env, ALLOWED_IMAGES: functionNodeImage() } });
    const dying = await start();
    const ofDying = new FunctionCalls(dying, 'left');
    await ofDying.put(definition('one'));
    const { worker } = await ofDying.call();
    await dying.stop('SIGKILL');
    {
      await using next = await start();
      expect(await onEngine().has(worker ?? '')).toBe(false);
      const answer = await ofDying.at(next).call();
      expect(answer).toMatchObject({ status: 200, json: { version: 'one' }, cold: true });
    }
    rmSync(dataDir, { recursive: true, force: true });
  });
});
