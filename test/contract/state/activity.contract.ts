import { describe, expect, it, vi } from 'vitest';
import { workspace } from './names.ts';
import type { OpenState } from './state-under-test.ts';

const one = workspace('one');
const two = workspace('two');

export function activityContract(openNew: OpenState): void {
  /** One that has been there for long enough to know everybody. */
  const open: OpenState = async () => {
    const opened = await openNew();
    await opened.state.activity.inUse([one]);
    opened.clock.advance(90);
    return opened;
  };

  describe('a workspace', () => {
    it('is in use while somebody is connected, and for its idle time after the last', async () => {
      const { state, clock } = await open();
      const { activity } = state;
      expect(await activity.inUse([one, two])).toEqual(new Set());

      expect(await activity.connect(one, 'a')).toEqual({ first: true });
      expect(await activity.connect(one, 'b')).toEqual({ first: false });
      await activity.disconnect(one, 'a', 60);
      clock.advance(61);
      expect(await activity.inUse([two, one])).toEqual(new Set([one]));

      await activity.disconnect(one, 'b', 60);
      clock.advance(59);
      expect(await activity.inUse([one])).toEqual(new Set([one]));
      clock.advance(1);
      expect(await activity.inUse([one])).toEqual(new Set());
      expect(await activity.connect(one, 'c')).toEqual({ first: true });
    });

    it('counts as used until a store that was emptied has heard of all who are connected again', async () => {
      const { state, clock } = await openNew();
      const { activity } = state;
      clock.advance(1_000);
      expect(await activity.inUse([one, two])).toEqual(new Set([one, two]));
      clock.advance(89);
      await activity.beat([{ workspace: two, connection: 'a' }]);
      expect(await activity.inUse([one, two])).toEqual(new Set([one, two]));
      clock.advance(1);
      expect(await activity.inUse([one, two])).toEqual(new Set([two]));
    });

    it('is in use no more once the hearts of its connections have been silent for 90 s', async () => {
      const { state, clock } = await open();
      const { activity } = state;
      await activity.connect(one, 'a');
      await activity.connect(one, 'b');
      clock.advance(60);
      await activity.beat([{ workspace: one, connection: 'a' }]);

      clock.advance(89);
      expect(await activity.inUse([one])).toEqual(new Set([one]));
      expect(await activity.connect(one, 'c')).toEqual({ first: false });
      await activity.disconnect(one, 'c', 10);
      expect(await activity.inUse([one])).toEqual(new Set([one]));
      clock.advance(1);
      expect(await activity.inUse([one])).toEqual(new Set());
      expect(await activity.connect(one, 'd')).toEqual({ first: true });
    });

    it('is in use again with the next heartbeat of a connection that was forgotten', async () => {
      const { state, clock } = await open();
      const { activity } = state;
      await activity.connect(one, 'a');
      clock.advance(200);
      expect(await activity.inUse([one])).toEqual(new Set());

      await activity.beat([
        { workspace: one, connection: 'a' },
        { workspace: two, connection: 'b' },
      ]);
      expect(await activity.inUse([one, two])).toEqual(new Set([one, two]));
      expect(await activity.connect(one, 'c')).toEqual({ first: false });
    });

    it('has no idle timer while somebody is connected', async () => {
      const { state, clock } = await open();
      const { activity } = state;
      await activity.armTimer(one, 600);
      await activity.connect(one, 'a');
      clock.advance(90);
      expect(await activity.inUse([one])).toEqual(new Set());
    });

    it('is left running for as long as the timer was last armed for', async () => {
      const { state, clock } = await open();
      const { activity } = state;
      await activity.armTimer(one, 600);
      await activity.armTimer(one, 60);
      clock.advance(59);
      expect(await activity.inUse([one, two])).toEqual(new Set([one]));
      clock.advance(1);
      expect(await activity.inUse([one, two])).toEqual(new Set());
    });

    it('takes every call twice as it takes it once', async () => {
      const { state, clock } = await open();
      const { activity } = state;
      await activity.connect(one, 'a');
      expect(await activity.connect(one, 'a')).toEqual({ first: true });
      await activity.disconnect(one, 'a', 60);
      await activity.disconnect(one, 'a', 60);
      clock.advance(60);
      expect(await activity.inUse([one])).toEqual(new Set());
    });

    it('is told apart from ten thousand others by one call', async () => {
      const { state } = await open();
      const { activity } = state;
      const many = Array.from({ length: 10_000 }, (_, i) => workspace(`many-${i}`));
      const open9 = many.slice(0, 9_000).map((id) => ({ workspace: id, connection: 'a' }));
      await activity.beat(open9);
      expect((await activity.inUse(many)).size).toBe(9_000);
      expect(await activity.inUse([])).toEqual(new Set());
    });

    it('counts for nothing else that the state knows', async () => {
      const { state, dump } = await open();
      const before = await dump();
      await state.activity.connect(one, 'a');
      await state.activity.useOnce('link', 60);
      expect(await dump()).toEqual(before);
    });
  });

  describe('what is good once', () => {
    it('is used up by the first of many who try', async () => {
      const { activity } = (await open()).state;
      const tries = await Promise.all(Array.from({ length: 20 }, () => activity.useOnce('link', 60)));
      expect(tries.filter((won) => won)).toHaveLength(1);
      expect(await activity.useOnce('other', 60)).toBe(true);
    });

    it('is remembered for as long as was said', async () => {
      const { state, clock } = await open();
      await state.activity.useOnce('link', 60);
      clock.advance(59);
      expect(await state.activity.useOnce('link', 60)).toBe(false);
      clock.advance(1);
      expect(await state.activity.useOnce('link', 60)).toBe(true);
    });
  });

  describe('a hint', () => {
    it('comes to all who listen, until they stop', async () => {
      const { activity } = (await open()).state;
      const [first, second] = [vi.fn(), vi.fn()];
      const stop = activity.onHint(first);
      activity.onHint(second);
      await vi.waitFor(() => {
        activity.hint();
        expect(first).toHaveBeenCalled();
        expect(second).toHaveBeenCalled();
      });

      stop();
      first.mockClear();
      second.mockClear();
      activity.hint();
      await vi.waitFor(() => expect(second).toHaveBeenCalled());
      expect(first).not.toHaveBeenCalled();
    });
  });
}
