import { expect, it } from 'vitest';
import { container } from '../../contract/state/names.ts';
import { describeWith } from '../../support/services/provided.ts';
import { EmptiedRedis } from './emptied-redis.ts';
import { CLAIMED_AT, GRACE_SECONDS } from './fleet.ts';
import { fleetOnDocker } from './fleet-place.ts';
import { LATER, NOW, reconcileBehaviour, settled, twoLooks } from './reconcile-behaviour.ts';
import { strangeHome } from './strange-home.ts';

describeWith(['docker', 'workspace-base-image', 'redis-server'], 'reconciling', () => {
  const redis = new EmptiedRedis();

  reconcileBehaviour(redis, fleetOnDocker);

  it('is done by one instance at a time', async () => {
    await using fleet = await settled(redis, strangeHome);
    const [one, two] = [fleet.reconcile('one'), fleet.reconcile('two')];
    expect(await one.turn(NOW)).toMatchObject({ listed: 0 });
    expect(await two.turn(NOW)).toBeUndefined();
    await one.close();
    expect(await two.turn(NOW)).toMatchObject({ listed: 0 });
    await two.close();
  });

  it('holds too many that have tickets but no room to go back, and ends them at an operator’s word', async () => {
    await using fleet = await settled(redis, strangeHome);
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
    await using fleet = await settled(redis, strangeHome);
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
});
