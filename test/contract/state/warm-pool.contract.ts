import { describe, expect, it } from 'vitest';
import { container } from './names.ts';
import { LEASE } from './scenario.ts';
import { StateScenario } from './state-scenario.ts';
import type { OpenState } from './state-under-test.ts';

export function warmPoolContract(open: OpenState): void {
  describe('the warm pool', () => {
    it('is empty at first, and sized by nobody', async () => {
      const { state, clock } = await open();

      expect(await state.warmPool.look()).toEqual({
        members: [],
        starting: 0,
        sizes: undefined,
        demand: 0,
        used: 0,
        now: clock.now(),
      });
    });

    it('shows its members, the oldest first, what starts, and all containers in use', async () => {
      const { state, clock } = await open();
      const scenario = new StateScenario(state);
      await scenario.ready({ container: 20 });
      await scenario.warm(2);
      clock.advance(5);
      await scenario.warm(1);
      await scenario.reserveMember(3);

      const now = clock.now();
      const member = { image: 'base:1', manager: 'ecs' };
      expect(await state.warmPool.look()).toMatchObject({
        members: [
          { ...member, container: container(2), createdAt: now - 5_000 },
          { ...member, container: container(1), createdAt: now },
        ],
        starting: 1,
        used: 4,
      });
    });

    it('has the sizes that an operator set last', async () => {
      const { state } = await open();
      await state.warmPool.configure({ min: 3, max: 9 });
      await state.warmPool.configure({ min: 0, max: 4 });

      expect((await state.warmPool.look()).sizes).toEqual({ min: 0, max: 4 });
    });

    it('has a place reserved before its container is made, and moves it with the container', async () => {
      const { state, store } = await open();
      const scenario = new StateScenario(state);

      expect(await scenario.reserveMember(1)).toBe('reserved');
      expect(await store.count()).toEqual({ reserved: 1, live: 0, warm: 0 });
      expect(await scenario.addMember(1)).toBe('done');
      expect(await store.count()).toEqual({ reserved: 0, live: 0, warm: 1 });
    });

    it('is full when warm and starting are as many as it may have', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1);
      await scenario.reserveMember(2);
      const before = await dump();

      expect(await scenario.reserveMember(3, { most: 2 })).toBe('full');
      expect(await dump()).toEqual(before);
      expect(await scenario.reserveMember(3, { most: 3 })).toBe('reserved');
    });

    it('has no room beyond the maximum of all containers', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.ready({ container: 20, conversation: 'a' });
      await scenario.reserved({ container: 21, conversation: 'b' });
      await scenario.warm(1);
      const before = await dump();

      expect(await scenario.reserveMember(2, { maxContainers: 3 })).toBe('no-room');
      expect(await dump()).toEqual(before);
      expect(await scenario.reserveMember(2, { maxContainers: 4 })).toBe('reserved');
    });

    it('reserves, adds and removes once: repeats say the same and change nothing', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      const steps = [
        () => scenario.reserveMember(1, { most: 1 }),
        () => scenario.renewMember(1),
        () => scenario.addMember(1),
        () => scenario.removeMember(1),
      ];
      for (const step of steps) {
        const answer = await step();
        const before = await dump();
        expect(await step()).toBe(answer);
        expect(await dump()).toEqual(before);
      }
    });

    it('says that a member is added, too, when it has been claimed since', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1);
      await scenario.acquire();
      const before = await dump();

      expect(await scenario.addMember(1)).toBe('done');
      expect(await dump()).toEqual(before);
    });

    it('keeps a starting place while it is renewed', async () => {
      const { state, store, clock } = await open();
      const scenario = new StateScenario(state);
      await scenario.reserveMember(1);
      for (let renewal = 0; renewal < 3; renewal += 1) {
        clock.advance(LEASE - 1);
        expect(await scenario.renewMember(1)).toBe('done');
      }

      expect(await store.due(10)).toEqual({ reserved: [], live: [] });
      expect(await scenario.addMember(1)).toBe('done');
    });

    it('loses a starting place that lapsed: it counts no more as one, and is due until it is released', async () => {
      const { state, store, clock, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.reserveMember(1);
      clock.advance(LEASE);
      const before = await dump();

      expect(await scenario.renewMember(1)).toBe('stale');
      expect(await scenario.addMember(1)).toBe('stale');
      await expect(scenario.reserveMember(1)).rejects.toMatchObject({ code: 'INTERNAL' });
      expect(await dump()).toEqual(before);
      expect(await state.warmPool.look()).toMatchObject({ starting: 0, used: 1 });
      expect(await scenario.reserveMember(2, { most: 1 })).toBe('reserved');
      expect((await store.due(10)).reserved).toEqual([container(1)]);

      await store.release(container(1));
      expect(await dump()).toMatchObject({
        reserved: { [container(2)]: expect.any(Number) },
        starting: { [container(2)]: expect.anything() },
      });
    });

    it('is refused to anyone but who creates the member', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.reserveMember(1, { owner: 'ann' });
      const before = await dump();

      expect(await scenario.renewMember(1, 'bob')).toBe('stale');
      expect(await scenario.addMember(1, 'bob')).toBe('stale');
      await expect(scenario.reserveMember(1, { owner: 'bob' })).rejects.toMatchObject({ code: 'INTERNAL' });
      expect(await dump()).toEqual(before);
    });

    it.each(['warm', 'reserved', 'live'] as const)(
      'refuses an id that has a place already, %s',
      async (place) => {
        const { state, dump } = await open();
        const scenario = new StateScenario(state);
        if (place === 'warm') await scenario.warm(1);
        else await scenario[place === 'live' ? 'ready' : 'reserved']({ container: 1 });
        const before = await dump();

        await expect(scenario.reserveMember(1, { owner: 'bob' })).rejects.toMatchObject({ code: 'INTERNAL' });
        expect(await dump()).toEqual(before);
      },
    );

    it('gives a member up to be stopped, which keeps its place until it is released', async () => {
      const { state, store, clock } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1, 2);

      expect(await scenario.removeMember(1, 20)).toBe('done');

      expect(await scenario.members()).toEqual([container(2)]);
      expect(await store.count()).toEqual({ reserved: 1, live: 0, warm: 1 });
      clock.advance(19);
      expect((await store.due(10)).reserved).toEqual([]);
      clock.advance(1);
      expect((await store.due(10)).reserved).toEqual([container(1)]);
      await store.release(container(1));
      expect(await store.count()).toEqual({ reserved: 0, live: 0, warm: 1 });
      expect(await scenario.removeMember(1)).toBe('stale');
    });

    it('does not give up what was claimed, or what starts', async () => {
      const { state, dump } = await open();
      const scenario = new StateScenario(state);
      await scenario.warm(1);
      await scenario.acquire();
      await scenario.reserveMember(2);
      const before = await dump();

      for (const n of [1, 2, 3]) expect(await scenario.removeMember(n)).toBe('stale');
      expect(await dump()).toEqual(before);
    });
  });
}
