import { describe, expect, it } from 'vitest';
import { executionWork } from '../../../runtime/contracts/ids.ts';
import { execution, work } from './names.ts';
import { LEASE, TTL } from './scenario.ts';
import { SECONDS, StateScenario } from './state-scenario.ts';
import type { OpenState } from './state-under-test.ts';

export function beginExecutionContract(open: OpenState): void {
  describe('an execution', () => {
    it('is begun with its work, in the step that finds the container', async () => {
      const { state, store, clock } = await open();
      const scenario = new StateScenario(state);
      const { container } = await scenario.ready();
      const now = clock.now();

      expect(await scenario.execute()).toMatchObject({
        kind: 'live',
        record: { container, status: 'running' },
      });

      expect(await state.executions.get(scenario.name())).toEqual({
        ...scenario.name(),
        status: 'running',
        bodyHash: 'body',
        container,
        startedAt: now,
        deadline: now + SECONDS * 1_000,
        endedAt: null,
        onDisconnect: 'cancel',
        agentSeq: 0,
        offset: 0,
      });
      expect(await store.workInFlight(container)).toEqual([executionWork(execution(1))]);
      expect(await state.executions.countRunning()).toBe(1);
    });

    it('holds its work for its own time and a minute, whoever relays it', async () => {
      const { state, store, clock } = await open();
      const { container } = await new StateScenario(state).executing();

      clock.advance(SECONDS + 59);
      expect(await store.workInFlight(container)).toHaveLength(1);
      clock.advance(1);
      expect(await store.workInFlight(container)).toEqual([]);
    });

    it('is known when it is asked for again, also after its end, and is not begun twice', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      const before = await dump();

      expect(await scenario.execute({ relay: 'r2' })).toEqual({
        kind: 'known',
        execution: await state.executions.get(name),
      });
      expect(await dump()).toEqual(before);
      await scenario.finish(name);
      expect(await scenario.execute()).toMatchObject({ kind: 'known', execution: { status: 'completed' } });
    });

    it('is known whatever became of the conversation since', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      await scenario.remove(await scenario.executing());

      expect(await scenario.execute()).toMatchObject({ kind: 'known', execution: { status: 'running' } });
    });

    it('is another request’s when the body is another', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.executing();
      const before = await dump();

      expect(await scenario.execute({ bodyHash: 'another' })).toEqual({ kind: 'other-request' });
      expect(await dump()).toEqual(before);
    });

    it('is its conversation’s: the same id in another is another', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      await scenario.executing({ conversation: 'a' });
      await scenario.executing({ conversation: 'b', bodyHash: 'another' });
      await scenario.executing({ tenant: 'other', conversation: 'a', bodyHash: 'another' });

      expect(await state.executions.countRunning()).toBe(3);
    });

    it('is locked out by another that runs in the conversation, until that ends', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      const first = await scenario.executing({ execution: 1 });
      const before = await dump();

      expect(await scenario.execute({ execution: 2 })).toEqual({ kind: 'locked', execution: execution(1) });
      expect(await dump()).toEqual(before);
      await scenario.finish(first);
      expect(await scenario.execute({ execution: 2 })).toMatchObject({ kind: 'live' });
    });

    it('is not locked out by one whose work has lapsed', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      await scenario.executing({ execution: 1 });
      clock.advance(SECONDS + 60);

      expect(await scenario.execute({ execution: 2 })).toMatchObject({ kind: 'live' });
      expect(await state.executions.countRunning()).toBe(2);
    });

    it('goes on beside other work, and other work beside it', async () => {
      const { state, store } = await open();
      const scenario = new StateScenario(state);
      const { container } = await scenario.running();
      await scenario.execute();

      expect(await scenario.acquire({ work: 2 })).toMatchObject({ kind: 'live' });
      expect(await store.workInFlight(container)).toEqual(
        [executionWork(execution(1)), work(1), work(2)].sort(),
      );
    });

    it('is one too many for a tenant that runs as many as it may', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      const first = await scenario.executing({ conversation: 'a', limit: 2 });
      await scenario.executing({ conversation: 'b', limit: 2 });
      const before = await dump();

      expect(await scenario.execute({ conversation: 'c', limit: 2 })).toEqual({
        kind: 'over-executions',
        limit: 2,
        used: 2,
      });
      expect(await dump()).toEqual(before);
      expect(await scenario.execute({ conversation: 'a', limit: 2 })).toMatchObject({ kind: 'known' });
      expect(await scenario.execute({ tenant: 'other', limit: 2 })).toMatchObject({ kind: 'reserved' });
      await scenario.finish(first);
      expect(await scenario.execute({ conversation: 'c', limit: 2 })).toMatchObject({ kind: 'reserved' });
    });

    it('counts for its tenant until its time is up', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      await scenario.executing({ conversation: 'a' });

      clock.advance(SECONDS - 1);
      expect(await scenario.execute({ conversation: 'b', limit: 1 })).toMatchObject({
        kind: 'over-executions',
      });
      clock.advance(1);
      expect(await scenario.execute({ conversation: 'b', limit: 1 })).toMatchObject({ kind: 'reserved' });
    });

    it.each(['reserved', 'bound'] as const)('is not begun on a preparation that is %s', async (stage) => {
      const { state, store } = await open();
      const scenario = new StateScenario(state);
      const { container } = await scenario[stage]({ owner: 'bob' });

      expect(await scenario.execute()).toMatchObject({ kind: 'preparing' });
      expect(await state.executions.get(scenario.name())).toBeUndefined();
      expect(await store.workInFlight(container)).toEqual([]);
    });

    it('is not begun by claiming or reserving a container: that comes before', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1);

      expect(await scenario.execute({ conversation: 'a' })).toMatchObject({ kind: 'claimed' });
      expect(await scenario.execute({ conversation: 'b', container: 20 })).toMatchObject({
        kind: 'reserved',
      });
      expect(await state.executions.countRunning()).toBe(0);
    });

    it('is not begun on a container that drains or is too old', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      await scenario.drain(await scenario.executing({ conversation: 'draining' }));
      await scenario.ready({ conversation: 'old' });
      expect(await scenario.execute({ conversation: 'draining', execution: 2 })).toMatchObject({
        kind: 'draining',
      });

      clock.advance(TTL.maxLifetimeSeconds);
      expect(await scenario.execute({ conversation: 'old', execution: 2 })).toMatchObject({
        kind: 'draining',
      });
      expect(await state.executions.countRunning()).toBe(1);
    });

    it('stays, running, when its conversation’s record is forgotten', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await scenario.remove(name);

      expect(await state.executions.get(name)).toMatchObject({ status: 'running' });
      expect(await state.executions.countRunning()).toBe(1);
    });

    it('is forgotten by who proves that it never reached its container, and may be begun again', async () => {
      const { state, store, clock } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await scenario.append(name, ['a']);
      clock.advance(5);

      expect(await scenario.abandon(name, 'r2')).toBe('stale');
      expect(await scenario.abandon(name)).toBe('done');

      expect(await state.executions.get(name)).toBeUndefined();
      expect(await state.executions.list(name.tenant, name.conversation, 10)).toEqual([]);
      expect(await scenario.read(name)).toBeUndefined();
      expect(await state.executions.countRunning()).toBe(0);
      expect(await store.findByContainer(name.container)).toMatchObject({
        status: 'idle',
        lastActiveAt: clock.now(),
      });
      expect(await scenario.abandon(name)).toBe('stale');
      expect(await scenario.execute({ bodyHash: 'another' })).toMatchObject({ kind: 'live' });
    });

    it('keeps its work when a short lease is asked for', async () => {
      const { state, store, clock } = await open();
      const name = await new StateScenario(state).executing();
      await store.renewWork({ ...name, work: executionWork(name.execution), leaseSeconds: LEASE, ttl: TTL });

      clock.advance(SECONDS);
      expect(await store.workInFlight(name.container)).toHaveLength(1);
    });
  });

  describe('executions of a conversation', () => {
    it('are listed, the latest first, until a day after their end', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      await scenario.ready();
      for (const n of [3, 1, 2]) {
        await scenario.execute({ execution: n });
        clock.advance(1);
        if (n !== 2) await scenario.finish(scenario.name({ execution: n }));
      }
      const { tenant, conversation } = scenario.name();
      const ids = async (limit: number) =>
        (await state.executions.list(tenant, conversation, limit)).map((one) => one.execution);

      expect(await ids(10)).toEqual([2, 1, 3].map(execution));
      expect(await ids(2)).toEqual([2, 1].map(execution));
      clock.advance(86_400 - 3);
      expect(await ids(10)).toEqual([2, 1, 3].map(execution));
      clock.advance(2);
      expect(await ids(1)).toEqual([2].map(execution));
      expect(await ids(10)).toEqual([2].map(execution));
      expect(await state.executions.get(scenario.name({ execution: 1 }))).toBeUndefined();
    });

    it('may use an id again once it is forgotten', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await scenario.append(name, ['a']);
      await scenario.finish(name);
      clock.advance(86_400);
      await scenario.ready({ conversation: 'fresh' });
      await scenario.remove(name);
      await scenario.ready();

      expect(await scenario.execute({ bodyHash: 'another' })).toMatchObject({ kind: 'live' });
      expect(await state.executions.get(name)).toMatchObject({
        status: 'running',
        agentSeq: 0,
        endedAt: null,
      });
      expect(await scenario.read(name)).toEqual({ entries: [], ended: false });
    });

    it('are none where there are none', async () => {
      const { state } = await open();
      const { tenant, conversation } = new StateScenario(state).name();

      expect(await state.executions.list(tenant, conversation, 10)).toEqual([]);
    });
  });
}
