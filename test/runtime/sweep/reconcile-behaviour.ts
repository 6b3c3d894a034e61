import { expect, it } from 'vitest';
import type { ContainerId } from '../../../runtime/contracts/ids.ts';
import type { Reconcile } from '../../../runtime/sweep/reconcile.ts';
import { container, conversation, tenant, work } from '../../contract/state/names.ts';
import { must } from '../../support/must.ts';
import type { EmptiedRedis } from './emptied-redis.ts';
import { CLAIMED_AT, Fleet, GRACE_SECONDS, SETTINGS } from './fleet.ts';
import type { FleetHome, FleetPlace } from './fleet-place.ts';

export const NOW = 1_000_000;
export const LATER = NOW + GRACE_SECONDS * 1000;
const NOTHING = { marked: 0, adopted: 0, destroyed: 0, held: 0, lost: 0, nextLookIn: undefined };

/** The two looks that it takes to act on an orphan. */
export async function twoLooks(reconcile: Reconcile) {
  await reconcile.runOnce({ now: NOW });
  return reconcile.runOnce({ now: LATER });
}

/** A fleet whose store is settled: what is made from here on and has no record is an orphan. */
export async function settled(
  { state }: EmptiedRedis,
  home: FleetHome,
  options: { destroy?: (container: ContainerId) => Promise<void> } = {},
): Promise<Fleet> {
  const fleet = new Fleet({ state, home, ...options });
  await fleet.adoption().run();
  return fleet;
}

/** How the backend is held against the store, wherever containers run. */
export function reconcileBehaviour(redis: EmptiedRedis, place: () => FleetPlace): void {
  it('leaves alone what has a place: a conversation’s, a warm one, one that is being made or stopped', async () => {
    await using fleet = await settled(redis, place());
    const [live, warm, starting] = await Promise.all([fleet.of('a'), fleet.container(), fleet.container()]);
    await fleet.record('a', live);
    const member = { owner: 'one', leaseSeconds: 30, image: 'i', manager: 'any' };
    const room = { most: 5, maxContainers: 10 };
    await redis.state.warmPool.reserve({ container: warm, ...member, ...room });
    await redis.state.warmPool.add({ container: warm, ...member });
    await redis.state.warmPool.reserve({ container: starting, ...member, ...room });
    expect(await twoLooks(fleet.reconcile())).toEqual({ ...NOTHING, listed: 3 });
    expect(await fleet.listed()).toEqual([live, warm, starting].toSorted());
    expect(fleet.actions).toEqual([]);
  });

  it('marks a container without owner or ticket, and ends it when its grace is over, not before', async () => {
    await using fleet = await settled(redis, place());
    const orphan = await fleet.container();
    const reconcile = fleet.reconcile();
    expect(await reconcile.runOnce({ now: NOW })).toEqual({
      ...NOTHING,
      listed: 1,
      marked: 1,
      nextLookIn: GRACE_SECONDS,
    });
    expect(await reconcile.runOnce({ now: LATER - 1 })).toMatchObject({ marked: 1, nextLookIn: 0.001 });
    expect(await fleet.listed()).toEqual([orphan]);
    expect(await reconcile.runOnce({ now: LATER })).toEqual({ ...NOTHING, listed: 1, destroyed: 1 });
    expect(await fleet.listed()).toEqual([]);
    expect(await redis.state.conversations.count()).toEqual({ reserved: 0, live: 0, warm: 0 });
    expect(fleet.actions).toEqual(['marked: no-place', 'destroyed: no-ticket']);
  });

  it('leaves one alone that gets a place between the looks, and begins anew should it lose it', async () => {
    await using fleet = await settled(redis, place());
    const orphan = await fleet.of('a');
    const reconcile = fleet.reconcile();
    await reconcile.runOnce({ now: NOW });
    await fleet.record('a', orphan);
    expect(await reconcile.runOnce({ now: LATER })).toEqual({ ...NOTHING, listed: 1 });
    await redis.state.conversations.remove({
      ...must(await fleet.recordOf('a')),
      stopSeconds: 30,
    });
    await redis.state.conversations.release(orphan);
    expect(await reconcile.runOnce({ now: LATER + 1 })).toMatchObject({
      marked: 1,
      adopted: 0,
      destroyed: 0,
    });
  });

  it('never ends one that has a record by the time it would', async () => {
    await using fleet = await settled(redis, place());
    const owner = fleet.owner();
    const taken = await fleet.of('a');
    await fleet.record('a', taken);
    expect(await owner.destroyUnowned(taken)).toBe(false);
    const claimed = await redis.state.conversations.acquire({
      tenant: tenant('acme'),
      conversation: conversation('b'),
      newContainer: container(1),
      manager: 'any',
      owner: 'test',
      leaseSeconds: 30,
      maxContainers: 10,
      work: { id: work(1), leaseSeconds: 30, ttl: SETTINGS.ttl },
    });
    expect(claimed.kind).toBe('reserved');
    expect(await owner.destroyUnowned(container(1))).toBe(false);
    const warm = await fleet.container();
    const member = { container: warm, owner: 'one', leaseSeconds: 30, image: 'i', manager: 'any' };
    await redis.state.warmPool.reserve({ ...member, most: 5, maxContainers: 10 });
    await redis.state.warmPool.add(member);
    expect(await owner.destroyUnowned(warm)).toBe(false);
    expect(await fleet.listed()).toEqual([taken, warm].toSorted());
    expect([...(await redis.state.conversations.places([container(1), taken, warm])).values()]).toEqual([
      'reserved',
      'live',
      'warm',
    ]);
  });

  it('and once it begins to end one, nobody can adopt it any more', async () => {
    let ending: ContainerId | undefined;
    const gate = Promise.withResolvers<void>();
    await using fleet = await settled(redis, place(), {
      destroy: (id) => {
        ending = id;
        return gate.promise;
      },
    });
    const orphan = await fleet.container();
    const look = twoLooks(fleet.reconcile());
    await expect.poll(() => ending, { timeout: 10_000 }).toBe(orphan);
    await fleet.record('a', orphan);
    expect(await fleet.recordOf('a')).toBeUndefined();
    gate.resolve();
    await look;
  });

  it('gives one with a ticket back to its conversation', async () => {
    await using fleet = await settled(redis, place());
    const orphan = await fleet.of('a');
    expect(await twoLooks(fleet.reconcile())).toEqual({ ...NOTHING, listed: 1, adopted: 1 });
    expect(await fleet.recordOf('a')).toMatchObject({ container: orphan, status: 'idle' });
    expect(fleet.actions).toEqual(['marked: no-place', 'adopted: no-place']);
  });

  it('ends one whose conversation has moved on to another', async () => {
    await using fleet = await settled(redis, place());
    const [older, newer] = await Promise.all([fleet.of('a'), fleet.of('a', CLAIMED_AT + 1)]);
    await fleet.record('a', newer, CLAIMED_AT + 1);
    expect(await twoLooks(fleet.reconcile())).toEqual({ ...NOTHING, listed: 2, destroyed: 1 });
    expect(await fleet.listed()).toEqual([newer]);
    expect(await redis.state.conversations.places([older])).toEqual(new Map());
    expect((await fleet.recordOf('a'))?.container).toBe(newer);
    expect(fleet.actions).toContain('destroyed: superseded');
  });

  it('adopts nobody on the strength of another’s ticket, a made-up one, or without proof', async () => {
    await using fleet = await settled(redis, place());
    const honest = await fleet.of('a');
    await fleet.record('a', honest);
    await Promise.all([
      fleet.container({ ticket: fleet.ticket(honest, { claimed_at: CLAIMED_AT + 9 }) }),
      fleet.container({ ticket: 'made-up' }),
      fleet.container({ token: 'ab'.repeat(32), ticket: {} }),
    ]);
    expect(await twoLooks(fleet.reconcile())).toEqual({ ...NOTHING, listed: 4, destroyed: 3 });
    expect(await fleet.listed()).toEqual([honest]);
    expect(fleet.actions.filter((action) => action.startsWith('destroyed')).toSorted()).toEqual([
      'destroyed: foreign-ticket',
      'destroyed: forged-ticket',
      'destroyed: unproven',
    ]);
  });

  it('does nothing while the backend can not be asked, and goes on when it can', async () => {
    await using home = await place().cuttable();
    await using fleet = await settled(redis, home);
    const [orphan, live] = await Promise.all([fleet.container(), fleet.of('a')]);
    await fleet.record('a', live);
    const reconcile = fleet.reconcile();
    await reconcile.runOnce({ now: NOW });
    home.cut();
    await expect(reconcile.runOnce({ now: LATER })).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(fleet.lost).toEqual([]);
    expect(fleet.actions).toEqual(['marked: no-place']);
    expect(await redis.state.conversations.places([orphan])).toEqual(new Map());
    home.restore();
    expect(await fleet.listed()).toEqual([orphan, live].toSorted());
    expect(await reconcile.runOnce({ now: LATER + 1 })).toMatchObject({ destroyed: 1, lost: 0 });
    expect(await fleet.listed()).toEqual([live]);
  });

  it('takes an emptied store for just that: every conversation gets its container back, and none is ended', async () => {
    await using fleet = await settled(redis, place());
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => fleet.of(name)));
    await Promise.all(['a', 'b', 'c'].map((name, n) => fleet.record(name, must(ids[n]))));
    const reconcile = fleet.reconcile();
    await reconcile.runOnce({ now: NOW });
    await redis.empty();
    expect(await reconcile.runOnce({ now: LATER })).toEqual({ ...NOTHING, listed: 3 });
    expect(await fleet.listed()).toEqual(ids.toSorted());
    expect(await redis.state.conversations.count()).toEqual({ reserved: 0, live: 3, warm: 0 });
    expect(fleet.actions).toEqual(Array(3).fill('adopted: store-lost'));
  });

  it('tells of a live conversation whose container is gone, and of no other', async () => {
    await using fleet = await settled(redis, place());
    const there = await fleet.of('there');
    await fleet.record('there', there);
    await fleet.record('gone', fleet.newId());
    await fleet.record('draining', fleet.newId());
    await redis.state.conversations.beginDrain({
      ...must(await fleet.recordOf('draining')),
      onlyIdle: false,
      reason: 'deleted',
      leaseSeconds: 30,
    });
    await redis.state.conversations.acquire({
      tenant: tenant('acme'),
      conversation: conversation('preparing'),
      newContainer: container(1),
      manager: 'any',
      owner: 'test',
      leaseSeconds: 30,
      maxContainers: 10,
      work: { id: work(1), leaseSeconds: 30, ttl: SETTINGS.ttl },
    });
    expect(await fleet.reconcile().runOnce({ now: NOW })).toEqual({ ...NOTHING, listed: 1, lost: 1 });
    expect(fleet.lost.map((record) => record.conversation)).toEqual(['gone']);
    expect(fleet.actions).toEqual(['lost: absent']);
  });

  it('one that can not be ended keeps no other from it, and is tried again', async () => {
    let stubborn: ContainerId | undefined;
    const fleet: Fleet = await settled(redis, place(), {
      destroy: (id) => (id === stubborn ? Promise.reject(new Error('it will not go')) : fleet.end(id)),
    });
    await using _fleet = fleet;
    const [one, other] = await Promise.all([fleet.container(), fleet.container()]);
    stubborn = one;
    const reconcile = fleet.reconcile();
    expect(await twoLooks(reconcile)).toMatchObject({ destroyed: 1, marked: 1, nextLookIn: undefined });
    expect(await fleet.listed()).toEqual([one]);
    expect(fleet.actions).toContain('failed: no-ticket');
    // Its place is reserved and due, so whoever looks for that ends it too.
    expect((await redis.state.conversations.due(10)).reserved).toEqual([one]);
    expect(other).not.toBe(one);
  });
}
