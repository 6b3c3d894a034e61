import { describe, expect, it } from 'vitest';
import { executionWork } from '../../../runtime/contracts/ids.ts';
import type { Incarnation } from '../../../runtime/state/conversation-store.ts';
import { execution } from './names.ts';
import { TTL } from './scenario.ts';
import { StateScenario } from './state-scenario.ts';
import type { OpenState } from './state-under-test.ts';

export function confirmWorkContract(open: OpenState): void {
  describe('a preparation that is over, with the work it was for', () => {
    it('is running, with the execution begun in the same step', async () => {
      const { state, store } = await open();
      const scenario = new StateScenario(state);
      const incarnation = await scenario.bound();

      const confirmed = await store.confirm(confirmation(scenario, incarnation));

      expect(confirmed).toMatchObject({ kind: 'live', record: { status: 'running', preparation: null } });
      expect(await store.workInFlight(incarnation.container)).toEqual([executionWork(execution(1))]);
      expect(await scenario.execute()).toMatchObject({ kind: 'known', execution: { status: 'running' } });
    });

    it('says so again, but only to who began it', async () => {
      const { state, store, dump } = await open();
      const scenario = new StateScenario(state);
      const incarnation = await scenario.bound();
      const request = confirmation(scenario, incarnation);
      await store.confirm(request);
      const before = await dump();

      expect(await store.confirm(request)).toMatchObject({ kind: 'live' });
      expect(await store.confirm(confirmation(scenario, incarnation, { relay: 'r2' }))).toEqual({
        kind: 'done',
      });
      expect(await dump()).toEqual(before);
    });

    it('is ready all the same where the work may not begin', async () => {
      const { state, store } = await open();
      const scenario = new StateScenario(state);
      await scenario.ready({ conversation: 'other' });
      await scenario.execute({ conversation: 'other', execution: 1 });
      const incarnation = await scenario.bound();

      const request = confirmation(scenario, incarnation, { execution: 2, limit: 1 });
      expect(await store.confirm(request)).toEqual({ kind: 'done' });

      expect(await scenario.status(incarnation)).toBe('ready');
      expect(await store.workInFlight(incarnation.container)).toEqual([]);
    });
  });
}

function confirmation(
  scenario: StateScenario,
  incarnation: Incarnation,
  words: Parameters<StateScenario['start']>[0] = {},
) {
  const work = { ...scenario.request().work, execution: scenario.start(words) };
  return { ...incarnation, owner: 'ann', ttl: TTL, work };
}
