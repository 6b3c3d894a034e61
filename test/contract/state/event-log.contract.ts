import { describe, expect, it } from 'vitest';
import { LOG_BYTES, type LoggedEvents } from '../../../runtime/state/execution-store.ts';
import { must } from '../../support/must.ts';
import { TTL } from './scenario.ts';
import { entry, RELAY_LEASE, SECONDS, StateScenario } from './state-scenario.ts';
import type { OpenState } from './state-under-test.ts';

const ENTRY_BYTES = 128 * 1024;

function texts(read: LoggedEvents | undefined): string[] {
  return must(read).entries.map(({ frames }) => frames.toString());
}

export function eventLogContract(open: OpenState): void {
  describe('the log of an execution', () => {
    it('has what was appended, in order', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      expect(await scenario.read(name)).toEqual({ entries: [], ended: false });

      expect(
        await scenario.append(name, [], { agentSeq: 2, offset: 1, entries: [entry(1, 3, 'a\nb\nc\n')] }),
      ).toBe('done');
      expect(
        await scenario.append(name, [], { after: 3, agentSeq: 3, offset: 1, entries: [entry(4, 4, 'd\n')] }),
      ).toBe('done');

      expect(await scenario.read(name)).toEqual({
        entries: [entry(1, 3, 'a\nb\nc\n'), entry(4, 4, 'd\n')],
        ended: false,
      });
      expect(await state.executions.get(name)).toMatchObject({ agentSeq: 3, offset: 1 });
    });

    it('is read from any event on, whole entries at a time', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      const entries = [entry(1, 3, 'abc'), entry(4, 4, 'd'), entry(5, 9, 'efghi')];
      await scenario.append(name, [], { agentSeq: 9, entries });

      expect(await scenario.read(name, 2)).toEqual({ entries, ended: false });
      expect(await scenario.read(name, 3)).toEqual({ entries: entries.slice(1), ended: false });
      expect(await scenario.read(name, 9)).toEqual({ entries: [], ended: false });
      expect(await scenario.read(name, 0, 4)).toEqual({ entries: entries.slice(0, 2), ended: false });
      expect(await scenario.read(name, 0, 1)).toEqual({ entries: entries.slice(0, 1), ended: false });
      expect(await scenario.read(scenario.name({ execution: 9 }))).toBeUndefined();
    });

    it('is read a page at a time to its end', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await scenario.append(
        name,
        Array.from({ length: 50 }, (_, i) => `line ${i}\n`),
      );
      await scenario.finish(name);

      const seen: number[] = [];
      let ended = false;
      for (let after = 0; !ended; after = seen.at(-1) ?? 0) {
        const page = must(await scenario.read(name, after, 100));
        seen.push(...page.entries.map(({ last }) => last));
        expect(page.entries.length).toBeLessThan(15);
        ended = page.ended;
      }
      expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => i + 1));
    });

    it('has the very bytes that were appended, whatever they are', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      const frames = Buffer.from(Array.from({ length: 512 }, (_, i) => i % 256));
      await scenario.append(name, [], { agentSeq: 1, entries: [{ first: 1, last: 1, frames }] });

      const [read] = must(await scenario.read(name)).entries;
      expect(Buffer.compare(must(read).frames, frames)).toBe(0);
    });

    it('takes an append once: a repeat is done and changes nothing', async () => {
      const { state, clock, dump } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await scenario.append(name, ['a', 'b']);
      const before = await dump();

      clock.advance(1);
      expect(await scenario.append(name, ['a', 'b'])).toBe('done');
      expect(await dump()).toEqual(before);
    });

    it('takes events of the runtime’s own, which are not the agent’s', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();

      const own = { agentSeq: 0, offset: 1, entries: [entry(1, 1, 'own')] };
      expect(await scenario.append(name, [], own)).toBe('done');
      expect(await scenario.append(name, [], own)).toBe('done');
      const agents = { after: 1, agentSeq: 1, offset: 1, entries: [entry(2, 2, 'agent')] };
      expect(await scenario.append(name, [], agents)).toBe('done');

      expect(texts(await scenario.read(name))).toEqual(['own', 'agent']);
    });

    it('refuses what does not follow, as from a relay that missed something', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await scenario.append(name, ['a', 'b']);
      const before = await dump();

      expect(await scenario.append(name, ['b', 'c'], { after: 1 })).toBe('stale');
      expect(await scenario.append(name, ['d'], { after: 3 })).toBe('stale');
      expect(await scenario.append(name, ['a'])).toBe('stale');
      expect(await dump()).toEqual(before);
    });

    it('renews the lease of who appends', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      clock.advance(RELAY_LEASE - 1);
      await scenario.append(name, ['a']);
      clock.advance(RELAY_LEASE - 1);

      expect(await scenario.takeRelay(name, 'r2')).toEqual({ kind: 'held' });
      clock.advance(1);
      expect(await scenario.takeRelay(name, 'r2')).toMatchObject({ kind: 'taken' });
    });

    it('lets its oldest entries go when it is too long', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      const large = 'é'.repeat(ENTRY_BYTES / 2);
      const fitting = LOG_BYTES / ENTRY_BYTES;
      for (let i = 0; i < fitting + 2; i += 1) {
        expect(await scenario.append(name, [large], { after: i })).toBe('done');
      }
      await scenario.append(name, ['small'], { after: fitting + 2 });

      const all = must(await scenario.read(name, 0, 2 * LOG_BYTES));
      expect(all.entries.map(({ first }) => first)).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
      const [held] = Object.values((await dump()).executions);
      expect(held?.logBytes).toBe((fitting - 1) * ENTRY_BYTES + 'small'.length);
    });

    it.each([
      ['is too large', [entry(1, 1, 'é'.repeat(ENTRY_BYTES / 2 + 1))]],
      ['ends before it begins', [entry(2, 1, 'a')]],
      ['overlaps the one before', [entry(1, 2, 'a'), entry(2, 3, 'b')]],
      ['is in the log already', [entry(0, 1, 'a')]],
    ])('takes no entry that %s', async (_, entries) => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      const before = await dump();

      await expect(scenario.append(name, [], { agentSeq: 3, entries })).rejects.toMatchObject({
        code: 'INTERNAL',
      });
      expect(await dump()).toEqual(before);
    });

    it('has gone an hour after the end', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await scenario.append(name, ['a']);
      await scenario.finish(name);

      clock.advance(3_599);
      expect(await scenario.read(name)).toEqual({ entries: [entry(1, 1, 'a')], ended: true });
      clock.advance(1);
      expect(await scenario.read(name)).toEqual({ entries: [], ended: true });
      clock.advance(86_400 - 3_600);
      expect(await scenario.read(name)).toBeUndefined();
    });
  });

  describe('the end of an execution', () => {
    it('comes with its last events and ends its work, in one step', async () => {
      const { state, store, clock } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await scenario.append(name, ['a']);
      clock.advance(10);

      expect(await scenario.finish(name, { status: 'failed', entries: [entry(2, 3, 'b\nend\n')] })).toBe(
        'done',
      );

      expect(await state.executions.get(name)).toMatchObject({
        status: 'failed',
        endedAt: clock.now(),
        agentSeq: 1,
        offset: 2,
      });
      expect(await scenario.read(name, 1)).toEqual({ entries: [entry(2, 3, 'b\nend\n')], ended: true });
      expect(await scenario.read(name, 3)).toEqual({ entries: [], ended: true });
      expect(await state.executions.countRunning()).toBe(0);
      expect(await store.get(name.tenant, name.conversation)).toMatchObject({
        status: 'idle',
        lastActiveAt: clock.now(),
      });
      clock.advance(TTL.idleSeconds);
      expect((await store.due(10)).live).toHaveLength(1);
    });

    it('comes once', async () => {
      const { state, clock, dump } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await scenario.finish(name);
      const before = await dump();

      clock.advance(1);
      expect(await scenario.finish(name, { status: 'failed' })).toBe('stale');
      expect(await scenario.append(name, ['late'])).toBe('stale');
      expect(await scenario.abandon(name)).toBe('stale');
      expect(await dump()).toEqual(before);
    });

    it('leaves what was logged before as it is', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await scenario.append(name, ['a', 'b']);

      await scenario.finish(name, { entries: [entry(2, 2, 'B'), entry(3, 3, 'end')] });

      expect(texts(await scenario.read(name))).toEqual(['a', 'b', 'end']);
    });

    it('leaves a record running that has other work, and a draining one draining', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const busy = await scenario.executing({ conversation: 'busy' });
      await scenario.beginWork(busy);
      const draining = await scenario.executing({ conversation: 'draining' });
      await scenario.drain(draining);

      for (const name of [busy, draining]) expect(await scenario.finish(name)).toBe('done');
      expect(await scenario.status(busy)).toBe('running');
      expect(await scenario.status(draining)).toBe('draining');
    });

    it('does not touch the container that the conversation has meanwhile', async () => {
      const { state, store } = await open();
      const scenario = new StateScenario(state);
      const old = await scenario.executing({ execution: 1 });
      await scenario.remove(old);
      const now = await scenario.executing({ execution: 2 });

      expect(await scenario.finish(old, { status: 'lost' })).toBe('done');
      expect(await scenario.status(now)).toBe('running');
      expect(await store.workInFlight(now.container)).toHaveLength(1);
    });

    it('may come long after the deadline', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      clock.advance(SECONDS + 7_200);
      await scenario.takeRelay(name, 'r2');

      expect(await scenario.finish(name, { relay: 'r2', status: 'lost' })).toBe('done');
      expect(await scenario.status(name)).toBe('idle');
    });
  });

  describe('who waits for events', () => {
    it('is told at once of what is there already, and that an execution ended or is not there', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      await scenario.append(name, ['a']);

      await scenario.changed(name, 0);
      await scenario.changed(scenario.name({ execution: 9 }), 5);
      await scenario.finish(name);
      await scenario.changed(name, 1);
    });

    it('is told when events come, however many wait', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      const other = await scenario.executing({ conversation: 'other' });
      const stop = new AbortController();
      const forOther = scenario.changed(other, 0, stop.signal).catch(() => 'stopped');
      const all = Array.from({ length: 20 }, () => scenario.changed(name));
      await state.ping();

      await scenario.append(name, ['a']);

      await Promise.all(all);
      stop.abort();
      await forOther;
    });

    it('is told of each of many executions', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const names = [];
      for (let i = 0; i < 10; i += 1) names.push(await scenario.executing({ conversation: `c${i}` }));
      const waits = names.map((name) => scenario.changed(name));

      for (const name of names) await scenario.append(name, ['a']);
      await Promise.all(waits);
      const more = names.map((name) => scenario.changed(name, 1));
      for (const name of names) await scenario.finish(name);
      await Promise.all(more);
    });

    it('is told of an end without events', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      const wait = scenario.changed(name, 7);

      await scenario.finish(name);
      await wait;
    });

    it('waits no more when told to stop', async () => {
      const { state } = await open();
      const scenario = new StateScenario(state);
      const name = await scenario.executing();
      const stop = new AbortController();
      const wait = scenario.changed(name, 0, stop.signal);
      stop.abort(new Error('enough'));

      await expect(wait).rejects.toThrow('enough');
      await expect(scenario.changed(name, 0, stop.signal)).rejects.toThrow('enough');
    });
  });
}
