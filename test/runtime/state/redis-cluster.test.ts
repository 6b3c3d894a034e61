import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { openRedisState } from '../../../runtime/state/redis/open-redis-state.ts';
import { worker } from '../../contract/state/names.ts';
import { Scenario } from '../../contract/state/scenario.ts';
import { StateScenario } from '../../contract/state/state-scenario.ts';
import { adoptNothing } from '../../contract/state/state-under-test.ts';
import { WorkerScenario } from '../../contract/state/workers/worker-scenario.ts';
import { must } from '../../support/must.ts';
import { describeWith, startRedisCluster } from '../../support/services/provided.ts';
import type { RedisCluster } from '../../support/services/redis-cluster.ts';

describeWith('redis-server', 'the state in a Redis cluster', () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startRedisCluster();
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  const open = (node: number, keyPrefix = `{${randomUUID()}}:`) =>
    openRedisState({ url: must(cluster.nodes[node]).url, keyPrefix, maxLifetimeSeconds: 60 });

  it.each([0, 1])('is found from whichever node it is asked at (%d)', async (node) => {
    const state = open(node);
    await adoptNothing(state);
    const scenario = new StateScenario(state);
    await scenario.warm(1);
    expect(await scenario.acquire()).toMatchObject({ kind: 'claimed' });
    await state.close();
  });

  it('tells of new events, too', async () => {
    const state = open(1);
    await adoptNothing(state);
    const scenario = new StateScenario(state);
    const name = await scenario.executing();
    const changed = scenario.changed(name);
    await scenario.append(name, ['a']);
    await changed;
    expect(await scenario.read(name)).toMatchObject({ entries: [{ first: 1, last: 1 }] });
    await state.close();
  });

  it('lends workers, and tells who waits for one, too', async () => {
    const state = open(1);
    const scenario = new WorkerScenario(state.workers);
    const heard = vi.fn();
    state.workers.onFree(heard);
    await vi.waitFor(() => expect(heard).toHaveBeenCalledWith(undefined));
    await scenario.acquire();
    await scenario.idle([1]);
    expect(await scenario.leased()).toBe(worker(1));
    await vi.waitFor(() => expect(heard).toHaveBeenCalledWith(scenario.of()));
    await state.close();
  });

  it('says what to set where its keys would be in many places', async () => {
    const state = open(0, 'no-tag:');
    await expect(new Scenario(state.conversations).acquire()).rejects.toMatchObject({
      detail: expect.stringContaining('REDIS_KEY_PREFIX'),
    });
    await state.close();
  });

  it('is followed to the node that takes over, and wants adoption there', async () => {
    const [primary, replica] = cluster.nodes;
    const state = open(0);
    await adoptNothing(state);
    const scenario = new StateScenario(state);
    await scenario.ready();
    await cluster.failOver(must(replica));
    await expect
      .poll(() => state.ping().then(() => state.adoption.needed()), { timeout: 15_000 })
      .toBeDefined();
    await adoptNothing(state);
    expect(await scenario.acquire()).toMatchObject({ kind: 'live' });
    // The node that it was told of at first is gone for good, and it does not need it.
    await must(primary).kill();
    expect(await scenario.acquire()).toMatchObject({ kind: 'live' });
    await state.close();
  });
});
