import { describe, expect, it } from 'vitest';
import { executionWork } from '../../../runtime/contracts/ids.ts';
import { container, conversation, execution, tenant } from './names.ts';
import { TTL } from './scenario.ts';
import { RELAY_LEASE, SECONDS, StateScenario } from './state-scenario.ts';
import type { OpenState } from './state-under-test.ts';

const acme = tenant('acme');
const c1 = conversation('c1');

export function adoptionContract(open: OpenState): void {
  describe('adoption', () => {
    it('makes an idle record of a container with a ticket', async () => {
      const { state, store, clock } = await open();
      const scenario = new StateScenario(state);
      const request = await scenario.adoptRequest({ container: 5 });

      expect(await state.adoption.adopt(request)).toBe('done');

      expect(await store.get(acme, c1)).toEqual({
        tenant: 'acme',
        conversation: 'c1',
        container: container(5),
        manager: 'docker',
        status: 'idle',
        createdAt: request.createdAt,
        claimedAt: request.claimedAt,
        lastActiveAt: clock.now(),
        preparation: null,
        drainReason: null,
        savedVersion: 'v7',
      });
      expect(await store.count()).toEqual({ reserved: 0, live: 1, warm: 0 });
      expect(await scenario.acquire()).toMatchObject({ kind: 'live', record: { container: container(5) } });
    });

    it('lets it live on as if nothing had been: idle from now on, as old as it is', async () => {
      const { state, store, clock } = await open();
      const scenario = new StateScenario(state);
      await scenario.adopt({ conversation: 'young' });
      await scenario.adopt({ conversation: 'old', container: 51, claimed: TTL.maxLifetimeSeconds });

      expect((await store.due(10)).live.map((record) => record.conversation)).toEqual(['old']);
      clock.advance(TTL.idleSeconds);
      expect((await store.due(10)).live).toHaveLength(2);
    });

    it('makes a running one where executions run, which nobody relays yet', async () => {
      const { state, store, clock } = await open();
      const scenario = new StateScenario(state);

      expect(await scenario.adopt({ container: 5, executions: [1] })).toBe('done');

      expect(await store.get(acme, c1)).toMatchObject({ status: 'running' });
      expect(await store.workInFlight(container(5))).toEqual([executionWork(execution(1))]);
      const name = scenario.name();
      expect(await state.executions.get(name)).toEqual({
        ...name,
        status: 'running',
        bodyHash: '',
        container: container(5),
        startedAt: clock.now(),
        deadline: clock.now() + SECONDS * 1_000,
        endedAt: null,
        onDisconnect: 'continue',
        agentSeq: 0,
        offset: 0,
      });
      expect(await state.executions.withoutRelay(10)).toEqual([name]);
      expect(await scenario.takeRelay(name, 'r2')).toMatchObject({ kind: 'taken' });
      expect(await scenario.execute({ bodyHash: 'whatever it was' })).toMatchObject({ kind: 'known' });
      expect(await scenario.execute({ execution: 2 })).toEqual({ kind: 'locked', execution: execution(1) });
    });

    it('changes nothing when repeated', async () => {
      const { state, clock, dump } = await open();
      const scenario = new StateScenario(state);
      const request = await scenario.adoptRequest({ executions: [1] });
      await state.adoption.adopt(request);
      const before = await dump();

      clock.advance(5);
      expect(await state.adoption.adopt(request)).toBe('done');
      expect(await dump()).toEqual(before);
    });

    it.each(['reserved', 'bound'] as const)('makes a preparation that is %s live', async (stage) => {
      const { state, store, dump } = await open();
      const scenario = new StateScenario(state);
      const incarnation = await scenario[stage]({ container: 5 });

      expect(await scenario.adopt({ container: 5, claimed: 0 })).toBe('done');

      expect(await store.get(acme, c1)).toMatchObject({
        status: 'ready',
        preparation: null,
        savedVersion: 'v7',
      });
      expect(await store.count()).toEqual({ reserved: 0, live: 1, warm: 0 });
      const before = await dump();
      expect(await scenario.confirm(incarnation)).toBe('done');
      expect(await dump()).toEqual(before);
    });

    it('leaves a record that is live as it is, but adds what runs there unknown', async () => {
      const { state, store, dump } = await open();
      const scenario = new StateScenario(state);
      const known = await scenario.executing({ container: 5, execution: 1 });
      await store.saved({ ...known, version: 'v9' });
      const before = await dump();

      expect(await scenario.adopt({ container: 5, executions: [1] })).toBe('done');
      expect(await dump()).toEqual(before);

      expect(await scenario.adopt({ container: 5, executions: [1, 2] })).toBe('done');
      expect(await store.get(acme, c1)).toMatchObject({ status: 'running', savedVersion: 'v9' });
      expect(await store.workInFlight(container(5))).toEqual([1, 2].map(execution).map(executionWork));
      expect(await state.executions.withoutRelay(10)).toEqual([scenario.name({ execution: 2 })]);
    });

    it('does not revive a record that drains, nor an execution that ended', async () => {
      const { state, store } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing({ container: 5 });
      await scenario.finish(name);
      await scenario.drain(name);

      expect(await scenario.adopt({ container: 5, executions: [1, 2] })).toBe('done');

      expect(await scenario.status(name)).toBe('draining');
      expect(await state.executions.get(name)).toMatchObject({ status: 'completed' });
      expect(await store.workInFlight(container(5))).toEqual([executionWork(execution(2))]);
    });

    it('lets the later claim win, whichever comes first; the other is to be ended', async () => {
      for (const order of [
        [5, 6],
        [6, 5],
      ] as const) {
        const { state, store } = await open();
        const scenario = new StateScenario(state);
        const claimed = { 5: 100, 6: 50 };

        const answers = [];
        for (const n of order) answers.push(await scenario.adopt({ container: n, claimed: claimed[n] }));

        expect(answers).toEqual(order[0] === 5 ? ['done', 'done'] : ['done', 'stale']);
        expect(await store.get(acme, c1)).toMatchObject({ container: container(6) });
        expect(await store.due(10)).toEqual({ reserved: [container(5)], live: [] });
        expect(await store.count()).toEqual({ reserved: 1, live: 1, warm: 0 });
      }
    });

    it('refuses a container that is being stopped, and one of another conversation', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.remove(await scenario.ready({ container: 5 }), 600);
      await scenario.ready({ container: 6, conversation: 'another' });
      const before = await dump();

      expect(await scenario.adopt({ container: 5 })).toBe('stale');
      expect(await scenario.adopt({ container: 6 })).toBe('stale');
      expect(await dump()).toEqual(before);
    });

    it.each(['warm', 'starting', 'discarded'] as const)(
      'takes a container that is %s as far as is known: it was claimed since',
      async (place) => {
        const { state, store, dump } = await open();
        const scenario = new StateScenario(state);
        if (place === 'starting') await scenario.reserveMember(5);
        else await scenario.warm(5);
        if (place === 'discarded') await state.adoption.discardWarm();

        expect(await scenario.adopt({ container: 5 })).toBe('done');

        expect(await store.count()).toEqual({ reserved: 0, live: 1, warm: 0 });
        expect(await dump()).toMatchObject({ warm: [], members: {}, starting: {}, reserved: {} });
      },
    );

    it('ends a member of the pool that turns out to have been claimed, and lost', async () => {
      const { state, store, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(5);
      await scenario.adopt({ container: 6, claimed: 1 });

      expect(await scenario.adopt({ container: 5, claimed: 9 })).toBe('stale');
      expect((await store.due(10)).reserved).toEqual([container(5)]);
      expect(await dump()).toMatchObject({ warm: [], members: {}, starting: {} });
    });

    it('leaves executions of a container that lost to whoever takes their relay', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing({ container: 5 });
      clock.advance(RELAY_LEASE);
      await scenario.adopt({ container: 6, claimed: 0 });

      expect(await state.executions.withoutRelay(10)).toEqual([scenario.name()]);
      expect(await state.executions.get(name)).toMatchObject({ container: container(5), status: 'running' });
    });
  });

  describe('after a loss', () => {
    it('warm members are discarded: their places are reserved and due', async () => {
      const { state, store, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1, 2);
      await scenario.reserveMember(3);

      await state.adoption.discardWarm();
      const before = await dump();
      await state.adoption.discardWarm();

      expect(await dump()).toEqual(before);
      expect(await state.warmPool.look()).toMatchObject({ members: [], starting: 1, used: 3 });
      expect((await store.due(10)).reserved).toEqual([container(1), container(2)]);
      expect(await scenario.addMember(1)).toBe('stale');
      expect(await scenario.acquire({ container: 20 })).toMatchObject({ kind: 'reserved' });
      await store.release(container(1));
      await store.release(container(2));
      expect(await store.count()).toEqual({ reserved: 2, live: 0, warm: 0 });
    });

    it('what nobody knows gets a place that is due; what has one keeps it', async () => {
      const { state, store, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.ready({ container: 2, conversation: 'live' });
      await scenario.reserved({ container: 3, conversation: 'starting' });
      await scenario.warm(1);
      const all = [1, 2, 3, 4, 5].map(container);

      await state.adoption.reserveUnknown(all);
      const before = await dump();
      await state.adoption.reserveUnknown(all);

      expect(await dump()).toEqual(before);
      expect((await store.due(10)).reserved).toEqual([container(4), container(5)]);
    });

    it('is over at some time', async () => {
      const { state } = await open();

      expect(await state.adoption.needed()).toBeUndefined();
    });
  });
}
