import { describe, expect, it } from 'vitest';
import { must } from '../../support/must.ts';
import { RELAY_LEASE, SECONDS, StateScenario } from './state-scenario.ts';
import type { OpenState } from './state-under-test.ts';

export function relayContract(open: OpenState): void {
  describe('a relay', () => {
    it('is who began the execution, while it holds the lease', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();

      for (let renewal = 0; renewal < 3; renewal += 1) {
        clock.advance(RELAY_LEASE - 1);
        expect(await scenario.takeRelay(name, 'r2')).toEqual({ kind: 'held' });
        expect(await scenario.renewRelay(name)).toBe('done');
      }
      expect(await state.executions.withoutRelay(10)).toEqual([]);
    });

    it('may be another once the lease lapsed; then the first one writes nothing', async () => {
      const { state, clock, dump } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await scenario.append(name, ['a']);
      clock.advance(RELAY_LEASE);

      expect(await scenario.takeRelay(name, 'r2')).toEqual({
        kind: 'taken',
        execution: expect.objectContaining({ status: 'running', agentSeq: 1, offset: 0 }),
      });

      const before = await dump();
      expect(await scenario.takeRelay(name, 'r1')).toEqual({ kind: 'held' });
      expect(await scenario.renewRelay(name)).toBe('stale');
      expect(await scenario.append(name, ['b'], { after: 1 })).toBe('stale');
      expect(await scenario.finish(name)).toBe('stale');
      expect(await scenario.abandon(name)).toBe('stale');
      await state.executions.leaveRelay({ ...name, relay: 'r1' });
      expect(await dump()).toEqual(before);
    });

    it('that lapsed writes nothing, even if no other has taken it, until it takes it again', async () => {
      const { state, clock, dump } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      clock.advance(RELAY_LEASE);
      const before = await dump();

      expect(await scenario.renewRelay(name)).toBe('stale');
      expect(await scenario.append(name, ['a'])).toBe('stale');
      expect(await scenario.finish(name)).toBe('stale');
      expect(await dump()).toEqual(before);
      expect(await scenario.takeRelay(name)).toMatchObject({ kind: 'taken' });
      expect(await scenario.append(name, ['a'])).toBe('done');
    });

    it('takes what it has already, and keeps a longer lease', async () => {
      const { state, clock, dump } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await state.executions.renewRelay({ ...name, relay: 'r1', leaseSeconds: 60 });
      const before = await dump();

      expect(await scenario.takeRelay(name)).toMatchObject({ kind: 'taken' });
      expect(await scenario.renewRelay(name)).toBe('done');
      expect(await dump()).toEqual(before);
      clock.advance(59);
      expect(await scenario.renewRelay(name)).toBe('done');
    });

    it('is needed by the running only', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await scenario.finish(name);

      expect(await scenario.takeRelay(name, 'r2')).toEqual({ kind: 'ended' });
      expect(await scenario.renewRelay(name)).toBe('stale');
      expect(await scenario.takeRelay(scenario.name({ execution: 9 }))).toEqual({ kind: 'absent' });
    });

    it('that leaves is missed at once, and not what it was', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await state.executions.leaveRelay({ ...name, relay: 'r1' });
      const before = await dump();

      expect(await state.executions.withoutRelay(10)).toEqual([scenario.name()]);
      expect(await scenario.renewRelay(name)).toBe('stale');
      await state.executions.leaveRelay({ ...name, relay: 'r1' });
      expect(await dump()).toEqual(before);
      expect(await scenario.takeRelay(name, 'r2')).toMatchObject({ kind: 'taken' });
    });
  });

  describe('executions without a relay', () => {
    it('are those that run and whose lease lapsed, the longest first', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      for (const conversation of ['b', 'a', 'held', 'ended']) {
        await scenario.executing({ conversation });
        clock.advance(1);
      }
      await scenario.finish(scenario.name({ conversation: 'ended' }));
      clock.advance(RELAY_LEASE - 3);
      await scenario.renewRelay(scenario.name({ conversation: 'held' }));

      const all = ['b', 'a'].map((conversation) => scenario.name({ conversation }));
      expect(await state.executions.withoutRelay(10)).toEqual(all);
      expect(await state.executions.withoutRelay(1)).toEqual([must(all[0])]);
    });

    it('are so also when the conversation is gone, so that someone ends them', async () => {
      const { state, store, clock } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await scenario.remove(name);
      await store.release(name.container);
      clock.advance(RELAY_LEASE);

      expect(await state.executions.withoutRelay(10)).toEqual([scenario.name()]);
      await scenario.takeRelay(name, 'r2');
      expect(await scenario.finish(name, { relay: 'r2', status: 'lost' })).toBe('done');
      expect(await state.executions.get(name)).toMatchObject({ status: 'lost', endedAt: clock.now() });
      expect(await state.executions.countRunning()).toBe(0);
    });

    it('are so also past their deadline', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      await scenario.executing();
      clock.advance(SECONDS + 86_400);

      expect(await state.executions.withoutRelay(10)).toEqual([scenario.name()]);
    });
  });
}
