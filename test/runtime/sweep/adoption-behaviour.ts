import { expect, it } from 'vitest';
import { AdoptionNeeded } from '../../../runtime/state/adoption-store.ts';
import { container, conversation, tenant, work } from '../../contract/state/names.ts';
import type { EmptiedRedis } from './emptied-redis.ts';
import { CLAIMED_AT, Fleet, SETTINGS } from './fleet.ts';
import type { FleetPlace } from './fleet-place.ts';

/** How a store that lost what it knew is rebuilt from containers, wherever they run. */
export function adoptionBehaviour(redis: EmptiedRedis, place: () => FleetPlace): void {
  const claim = (name: string, id = 1) =>
    redis.state.conversations.acquire({
      tenant: tenant('acme'),
      conversation: conversation(name),
      newContainer: container(id),
      manager: 'any',
      owner: 'test',
      leaseSeconds: 30,
      maxContainers: 100,
      work: { id: work(1), leaseSeconds: 30, ttl: SETTINGS.ttl },
    });

  it('brings every conversation back to its own container when the store is emptied', async () => {
    await using fleet = new Fleet({ state: redis.state, home: place() });
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => fleet.of(name)));
    await fleet.adoption().run();
    await redis.empty();
    await expect(claim('a')).rejects.toBeInstanceOf(AdoptionNeeded);

    await fleet.adoption().run();

    const records = await Promise.all(['a', 'b', 'c'].map((name) => fleet.recordOf(name)));
    expect(records.map((record) => record?.container)).toEqual(ids);
    expect(records.map((record) => record?.status)).toEqual(['idle', 'idle', 'idle']);
    expect(await claim('a')).toMatchObject({ kind: 'live', record: { container: ids[0] } });
    expect(await redis.state.conversations.count()).toEqual({ reserved: 0, live: 3, warm: 0 });
  });

  it('believes nobody but who carries a ticket of its own, and lets the rest count until it is gone', async () => {
    await using fleet = new Fleet({ state: redis.state, home: place() });
    const first = await fleet.of('a');
    const others = await Promise.all([
      fleet.container(), // a warm one
      fleet.container({ token: 'ab'.repeat(32), ticket: { conversation_id: conversation('b') } }), // an impostor
      fleet.container({ ticket: 'made-up' }),
      fleet.container({
        ticket: fleet.ticket(first, { conversation_id: conversation('a'), claimed_at: CLAIMED_AT + 1 }),
      }),
    ]);

    await fleet.adoption().run();

    expect((await fleet.recordOf('a'))?.container).toBe(first);
    expect(await fleet.recordOf('b')).toBeUndefined();
    expect(await fleet.recordOf('c1')).toBeUndefined();
    const places = await redis.state.conversations.places(others);
    expect([...places.values()]).toEqual(Array(4).fill('reserved'));
    expect(fleet.actions.toSorted()).toEqual([
      'adopted: store-lost',
      'left: foreign-ticket',
      'left: forged-ticket',
      'left: no-ticket',
      'left: unproven',
    ]);
    // It ends nothing itself: what is due is ended by who looks for that.
    expect(await fleet.listed()).toHaveLength(5);
    expect((await redis.state.conversations.due(10)).reserved.toSorted()).toEqual(others.toSorted());
  });

  it('of two containers with tickets for one conversation keeps the one claimed later', async () => {
    await using fleet = new Fleet({ state: redis.state, home: place() });
    const [older, newer] = await Promise.all([fleet.of('a', CLAIMED_AT), fleet.of('a', CLAIMED_AT + 1)]);
    await fleet.adoption().run();
    expect((await fleet.recordOf('a'))?.container).toBe(newer);
    expect(await redis.state.conversations.places([older])).toEqual(new Map([[older, 'reserved']]));
    expect(fleet.actions).toContain('left: superseded');
  });

  it('leaves alone what the store still knows, and takes every warm one out of the pool', async () => {
    await using fleet = new Fleet({ state: redis.state, home: place() });
    await fleet.adoption().run();
    const warm = await fleet.container();
    const member = { container: warm, owner: 'one', leaseSeconds: 30 };
    await redis.state.warmPool.reserve({ ...member, most: 5, maxContainers: 10 });
    await redis.state.warmPool.add({ ...member, image: 'i', manager: 'any' });
    const claimed = await claim('cold', 7);
    expect(claimed).toMatchObject({ kind: 'claimed', record: { container: warm, status: 'preparing' } });
    const second = await fleet.container();
    await redis.state.warmPool.reserve({ ...member, container: second, most: 5, maxContainers: 10 });
    await redis.state.warmPool.add({ ...member, container: second, image: 'i', manager: 'any' });
    await redis.forgetEpoch();

    await fleet.adoption().run();

    expect((await fleet.recordOf('cold'))?.container).toBe(warm);
    expect(await redis.state.conversations.places([second])).toEqual(new Map([[second, 'reserved']]));
    expect((await redis.state.warmPool.look()).members).toEqual([]);
  });

  it('completes nothing while the backend can not be asked', async () => {
    await using home = await place().cuttable();
    await using fleet = new Fleet({ state: redis.state, home });
    const id = await fleet.of('a');
    home.cut();
    await expect(fleet.adoption().run()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(await redis.state.adoption.needed()).toBeDefined();
    await expect(claim('a')).rejects.toBeInstanceOf(AdoptionNeeded);
    home.restore();
    await fleet.adoption().run();
    expect((await fleet.recordOf('a'))?.container).toBe(id);
    expect(await redis.state.adoption.needed()).toBeUndefined();
  });

  it('is done by one instance, and waited for by the others', async () => {
    await using fleet = new Fleet({ state: redis.state, home: place() });
    await Promise.all([fleet.of('a'), fleet.of('b')]);
    await Promise.all(['one', 'two', 'three'].map((instance) => fleet.adoption(instance).run()));
    expect(fleet.actions).toEqual(['adopted: store-lost', 'adopted: store-lost']);
    expect(await redis.state.adoption.needed()).toBeUndefined();
  });

  it('goes on where an instance died over it', async () => {
    await using fleet = new Fleet({ state: redis.state, home: place() });
    await fleet.of('a');
    await redis.state.leases.hold('adoption', 'dead', 1);
    await fleet.adoption().run();
    expect(await redis.state.adoption.needed()).toBeUndefined();
    expect(await fleet.recordOf('a')).toBeDefined();
  });

  it('asked for twice at once is one and the same', async () => {
    await using fleet = new Fleet({ state: redis.state, home: place() });
    const adoption = fleet.adoption();
    const first = adoption.run();
    expect(adoption.run()).toBe(first);
    await first;
    const second = adoption.run();
    expect(second).not.toBe(first);
    await second;
  });
}
