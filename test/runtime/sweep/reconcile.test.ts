import { expect, it } from 'vitest';
import type { ContainerId } from '../../../runtime/contracts/ids.ts';
import type { Reconcile } from '../../../runtime/sweep/reconcile.ts';
import { container, conversation, tenant, work } from '../../contract/state/names.ts';
import { CuttableRelay } from '../../support/cuttable-relay.ts';
import { must } from '../../support/must.ts';
import { describeWith } from '../../support/services/provided.ts';
import { engineTarget } from '../containers/docker/engine-target.ts';
import { EmptiedRedis } from './emptied-redis.ts';
import { CLAIMED_AT, Fleet, GRACE_SECONDS, SETTINGS } from './fleet.ts';
import { strangeBackend } from './strange-backend.ts';

const NOW = 1_000_000;
const LATER = NOW + GRACE_SECONDS * 1000;
const NOTHING = { marked: 0, adopted: 0, destroyed: 0, held: 0, lost: 0, nextLookIn: undefined };

/** The two looks that it takes to act on an orphan. */
async function twoLooks(reconcile: Reconcile) {
  await reconcile.runOnce({ now: NOW });
  return reconcile.runOnce({ now: LATER });
}

describeWith(['docker', 'workspace-base-image', 'redis-server'], 'reconciling', () => {
  const redis = new EmptiedRedis();

  /** A fleet whose store is settled: what is made from here on and has no record is an orphan. */
  async function settled(options: Partial<ConstructorParameters<typeof Fleet>[0]> = {}): Promise<Fleet> {
    const fleet = new Fleet({ state: redis.state, ...options });
    await fleet.adoption().run();
    return fleet;
  }

  it('leaves alone what has a place: a conversation’s, a warm one, one that is being made or stopped', async () => {
    await using fleet = await settled();
    const [live, warm, starting] = await Promise.all([fleet.of('a'), fleet.container(), fleet.container()]);
    await fleet.record('a', live);
    const member = { owner: 'one', leaseSeconds: 30, image: 'i', manager: 'docker' };
    const room = { most: 5, maxContainers: 10 };
    await redis.state.warmPool.reserve({ container: warm, ...member, ...room });
    await redis.state.warmPool.add({ container: warm, ...member });
    await redis.state.warmPool.reserve({ container: starting, ...member, ...room });
    expect(await twoLooks(fleet.reconcile())).toEqual({ ...NOTHING, listed: 3 });
    expect(await fleet.listed()).toEqual([live, warm, starting].toSorted());
    expect(fleet.actions).toEqual([]);
  });

  it('marks a container without owner or ticket, and ends it when its grace is over, not before', async () => {
    await using fleet = await settled();
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
    await using fleet = await settled();
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
    await using fleet = await settled();
    const owner = fleet.owner();
    const taken = await fleet.of('a');
    await fleet.record('a', taken);
    expect(await owner.destroyUnowned(taken)).toBe(false);
    const claimed = await redis.state.conversations.acquire({
      tenant: tenant('acme'),
      conversation: conversation('b'),
      newContainer: container(1),
      manager: 'docker',
      owner: 'test',
      leaseSeconds: 30,
      maxContainers: 10,
      work: { id: work(1), leaseSeconds: 30, ttl: SETTINGS.ttl },
    });
    expect(claimed.kind).toBe('reserved');
    expect(await owner.destroyUnowned(container(1))).toBe(false);
    const warm = await fleet.container();
    const member = { container: warm, owner: 'one', leaseSeconds: 30, image: 'i', manager: 'docker' };
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
    await using fleet = await settled({
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
    await using fleet = await settled();
    const orphan = await fleet.of('a');
    expect(await twoLooks(fleet.reconcile())).toEqual({ ...NOTHING, listed: 1, adopted: 1 });
    expect(await fleet.recordOf('a')).toMatchObject({ container: orphan, status: 'idle' });
    expect(fleet.actions).toEqual(['marked: no-place', 'adopted: no-place']);
  });

  it('ends one whose conversation has moved on to another', async () => {
    await using fleet = await settled();
    const [older, newer] = await Promise.all([fleet.of('a'), fleet.of('a', CLAIMED_AT + 1)]);
    await fleet.record('a', newer, CLAIMED_AT + 1);
    expect(await twoLooks(fleet.reconcile())).toEqual({ ...NOTHING, listed: 2, destroyed: 1 });
    expect(await fleet.listed()).toEqual([newer]);
    expect(await redis.state.conversations.places([older])).toEqual(new Map());
    expect((await fleet.recordOf('a'))?.container).toBe(newer);
    expect(fleet.actions).toContain('destroyed: superseded');
  });

  it('adopts nobody on the strength of another’s ticket, a made-up one, or without proof', async () => {
    await using fleet = await settled();
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

  it('holds too many that have tickets but no room to go back, and ends them at an operator’s word', async () => {
    await using fleet = await settled({ backend: strangeBackend });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const orphans = await Promise.all(names.map((name) => fleet.of(name)));
    // Five of the conversations have moved on; the sixth has nobody.
    await Promise.all(names.slice(0, 5).map((name, n) => fleet.record(name, container(n), CLAIMED_AT + 1)));
    const reconcile = fleet.reconcile();
    expect(await twoLooks(reconcile)).toMatchObject({ adopted: 1, destroyed: 0, held: 5, marked: 0 });
    expect((await fleet.recordOf('f'))?.container).toBe(orphans[5]);
    expect(fleet.breakerIsOpen).toBe(true);
    expect(fleet.alarms).toEqual([expect.stringContaining('too many containers with valid tickets')]);
    // Five alone would not have tripped it: what is held stays so.
    expect(await reconcile.runOnce({ now: LATER + 1 })).toMatchObject({ destroyed: 0, held: 5 });
    expect(fleet.breakerIsOpen).toBe(true);
    expect(await fleet.listed()).toEqual(orphans.toSorted());

    const released = await reconcile.runOnce({ now: LATER + 2, releaseBreaker: true });
    expect(released).toMatchObject({ destroyed: 5, held: 0 });
    expect(await fleet.listed()).toEqual([orphans[5]]);
    expect(fleet.breakerIsOpen).toBe(false);
  });

  it('takes an operator’s word also where another instance held them', async () => {
    await using fleet = await settled({ backend: strangeBackend });
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    await Promise.all(names.map((name) => fleet.of(name)));
    await Promise.all(names.map((name, n) => fleet.record(name, container(n), CLAIMED_AT + 1)));
    const leader = fleet.reconcile('one');
    await leader.turn(NOW);
    expect(await leader.turn(LATER)).toMatchObject({ held: 6 });
    const other = fleet.reconcile('two');
    expect(await other.turn(LATER)).toBeUndefined();
    expect(await other.runOnce({ now: LATER, releaseBreaker: true })).toMatchObject({
      marked: 6,
      destroyed: 0,
      nextLookIn: GRACE_SECONDS,
    });
    expect(await other.turn(LATER + GRACE_SECONDS * 1000)).toMatchObject({ destroyed: 6, held: 0 });
    expect(await fleet.listed()).toEqual([]);
    expect(await other.turn(LATER + GRACE_SECONDS * 1000)).toBeUndefined();
    await leader.close();
  });

  it('does nothing while the engine can not be asked, and goes on when it can', async () => {
    await using relay = await CuttableRelay.open(engineTarget());
    await using fleet = await settled({ dockerHost: `tcp://127.0.0.1:${relay.port}` });
    const [orphan, live] = await Promise.all([fleet.container(), fleet.of('a')]);
    await fleet.record('a', live);
    const reconcile = fleet.reconcile();
    await reconcile.runOnce({ now: NOW });
    relay.cut();
    await expect(reconcile.runOnce({ now: LATER })).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(fleet.lost).toEqual([]);
    expect(fleet.actions).toEqual(['marked: no-place']);
    expect(await redis.state.conversations.places([orphan])).toEqual(new Map());
    relay.restore();
    expect(await fleet.listed()).toEqual([orphan, live].toSorted());
    expect(await reconcile.runOnce({ now: LATER + 1 })).toMatchObject({ destroyed: 1, lost: 0 });
    expect(await fleet.listed()).toEqual([live]);
  });

  it('takes an emptied store for just that: every conversation gets its container back, and none is ended', async () => {
    await using fleet = await settled();
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
    await using fleet = await settled();
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
      manager: 'docker',
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
    const fleet: Fleet = await settled({
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

  it('is done by one instance at a time', async () => {
    await using fleet = await settled();
    const [one, two] = [fleet.reconcile('one'), fleet.reconcile('two')];
    expect(await one.turn(NOW)).toMatchObject({ listed: 0 });
    expect(await two.turn(NOW)).toBeUndefined();
    await one.close();
    expect(await two.turn(NOW)).toMatchObject({ listed: 0 });
    await two.close();
  });
});
