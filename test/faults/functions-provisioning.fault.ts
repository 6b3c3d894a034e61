import { expect, it } from 'vitest';
import { engineTarget } from '../runtime/containers/docker/engine-target.ts';
import { eventually } from '../support/cluster.ts';
import type { Called } from '../support/function-calls.ts';
import { FUNCTION_SERVICES, FunctionCluster } from '../support/function-cluster.ts';
import { describeWith, functionNodeImage } from '../support/services/provided.ts';
import { SlowEngine } from '../support/slow-engine.ts';

const WELL = "export default () => 'well'";
const NEVER_LISTENS = 'setInterval(() => {}, 1000); await new Promise(() => {});';
const ENDS_AT_ONCE = "console.log('there is no config'); process.exit(3);";

const definition = (source: string, scaling: Record<string, unknown> = {}) => ({
  image: functionNodeImage(),
  env: { HANDLER_SOURCE: source },
  scaling,
});

describeWith(FUNCTION_SERVICES, 'a worker that does not come up', () => {
  it('because its program ends: told with its last words, then the function is left alone until it is mended', async () => {
    await using here = await FunctionCluster.open();
    const runtime = await here.cluster.start();
    const ends = await here.define(runtime, ENDS_AT_ONCE, { max_capacity: 1 });
    const failed: Called[] = [];
    let last = await ends.call();
    for (; last.json.code === 'HEALTH_CHECK_FAILED' && failed.length < 15; last = await ends.call())
      failed.push(last);
    expect(failed.length).toBeGreaterThanOrEqual(5);
    for (const { json } of failed) {
      expect(json.detail).toContain('exit code 3');
      expect(json.detail).toContain('there is no config');
    }
    expect(last).toMatchObject({ status: 503, json: { code: 'FUNCTION_UNAVAILABLE' } });
    await eventually(async () => expect(await here.workers(ends.name)).toEqual([]));
    const refused = await ends.fetch();
    expect(refused.status).toBe(503);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await here.workers(ends.name)).toEqual([]);

    expect((await ends.put(definition(WELL, { max_capacity: 1 }))).ok).toBe(true);
    expect((await ends.call()).status).toBe(200);
  });

  it('because its program never listens: who waits gets one of the mended function, at once', async () => {
    await using here = await FunctionCluster.open();
    const runtime = await here.cluster.start();
    const never = await here.define(runtime, NEVER_LISTENS, { max_capacity: 1 });
    const told = await never.call();
    expect(told.json).toMatchObject({ code: 'HEALTH_CHECK_FAILED' });
    expect(told.json.detail).toContain('did not answer on port 8080');

    const waits = never.call();
    await eventually(async () =>
      expect((await here.workers(never.name)).map(({ state }) => state)).toEqual(['running']),
    );
    await never.put(definition(WELL, { max_capacity: 1 }));
    expect((await waits).status).toBe(200);
    expect((await never.call()).status).toBe(200);
    expect((await never.pool()).total_workers).toBe(1);
  });

  it('before its function is deleted: who waits is told, and nothing is left of it', async () => {
    await using here = await FunctionCluster.open();
    const runtime = await here.cluster.start();
    const never = await here.define(runtime, NEVER_LISTENS);
    const waits = never.call();
    await eventually(async () => expect(await here.workers(never.name)).toHaveLength(1));
    await never.delete();
    // One that is given up says another word: nobody has waited for that.
    expect(await waits).toMatchObject({ status: 404, json: { code: 'FUNCTION_NOT_FOUND' } });
    await eventually(async () => expect(await here.workers(never.name)).toEqual([]));
    expect(runtime.log.filter(({ msg }) => msg === 'a worker could not be made')).toEqual([]);
  });

  it('for long, because the engine is slow: who can wait is served, who can not is told, and nothing leaks', async () => {
    await using engine = await SlowEngine.open(engineTarget());
    await using here = await FunctionCluster.open({ DOCKER_HOST: engine.host });
    const runtime = await here.cluster.start();
    const patient = await here.define(runtime, WELL, { max_capacity: 2, acquire_timeout: 300 });
    const hasty = await here.define(runtime, WELL, { max_capacity: 2, acquire_timeout: 1 });
    // Twice a worker. Its program has its own 10 s, from when it is started.
    engine.createMs = 10_000;
    const calls = (of: typeof patient) => Promise.all(Array.from({ length: 6 }, () => of.call()));
    const [served, told] = await Promise.all([calls(patient), calls(hasty)]);
    expect(served.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(told.map(({ json }) => json.code)).toEqual(Array(6).fill('ACQUIRE_TIMEOUT'));
    engine.createMs = 0;
    await eventually(async () => {
      for (const of of [patient, hasty]) {
        const { total_workers, idle } = await of.pool();
        const there = await here.workers(of.name);
        expect(there.map(({ state }) => state)).toEqual(Array(idle).fill('running'));
        expect(total_workers).toBe(idle);
        expect(idle).toBeGreaterThan(0);
        expect(idle).toBeLessThanOrEqual(2);
      }
    });
    // What was made for nobody is there for the next.
    expect(await hasty.call()).toMatchObject({ status: 200 });
  });
});
