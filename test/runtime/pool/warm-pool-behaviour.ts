import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QUIET_SECONDS } from '../../../runtime/pool/plan-pool.ts';
import type { BackendUnderTest } from '../../contract/container-backend/harness.ts';
import { processBackends } from '../../contract/container-backend/process-backends.ts';
import { must } from '../../support/must.ts';
import { PoolWorld, type SharedState } from './pool-world.ts';

const ids = (members: { container: string }[]) => members.map(({ container }) => container);

let world: PoolWorld;

type OpenBackend = () => BackendUnderTest;

const children: OpenBackend = () => processBackends(undefined);

function eachWithAWorld(openState: () => Promise<SharedState>, openBackend: OpenBackend): void {
  beforeEach(async () => {
    world = await PoolWorld.open(await openState(), openBackend());
  });
  afterEach(() => world[Symbol.asyncDispose]());
}

/** What the pool of one instance promises. */
export function warmPoolBehaviour(openState: () => Promise<SharedState>, openBackend = children): void {
  eachWithAWorld(openState, openBackend);

  describe('a pool', () => {
    it('is filled to its minimum with containers whose agents prove themselves, and rests there', async () => {
      const pool = await world.pool();
      await pool.runOnce();
      const members = await world.untilReady(2);
      expect(members.map(({ image }) => image)).toEqual([world.image, world.image]);
      await pool.runOnce();
      expect(await world.untilReady(2)).toEqual(members);
      expect(world.creations.begun).toBe(2);
      expect(await pool.view()).toEqual({ size: 2, target: 2, starting: 0, min_size: 2, max_size: 4 });
    });

    it('that was woken after a claim is full again without waiting for its cycle', async () => {
      const pool = await world.pool();
      await pool.runOnce();
      const [oldest] = await world.untilReady(2);
      const claimed = must(await world.claim());
      expect(claimed).toBe(must(oldest).container);
      pool.wake();
      pool.wake();
      expect(ids(await world.untilReady(2, [claimed]))).not.toContain(claimed);
      expect(world.creations.begun).toBe(3);
    });

    it('makes no more at once than it is told, and goes on without another cycle', async () => {
      const pool = await world.pool({ sizes: { min: 5, max: 5 }, parallel: 2 });
      await pool.runOnce();
      await world.untilReady(5);
      expect(world.creations).toMatchObject({ most: 2, begun: 5 });
    });

    it('leaves the last places to conversations', async () => {
      const pool = await world.pool({ sizes: { min: 3, max: 3 }, maxContainers: 3 });
      await pool.runOnce();
      await world.untilReady(2);
      await pool.runOnce();
      await world.untilReady(2);
      expect(world.creations.begun).toBe(2);
    });

    it('says when nine tenths of the containers that there may be are taken, and not with every cycle', async () => {
      const full = () =>
        world.warnings.filter(({ msg }) => msg === 'nine tenths of MAX_CONTAINERS are taken');
      const roomy = await world.pool({ maxContainers: 3 });
      await roomy.runOnce();
      await world.untilReady(2);
      await roomy.runOnce();
      expect(full()).toEqual([]);
      const tight = await world.pool({ maxContainers: 2 });
      await tight.runOnce();
      await tight.runOnce();
      expect(full()).toMatchObject([{ used: 2, limit: 2 }]);
    });

    it('of sizes 0 and 0 is none, and what was there goes', async () => {
      const before = await world.pool();
      await before.runOnce();
      await world.untilReady(2);
      await before.close();
      const pool = await world.pool({ sizes: { min: 0, max: 0 } });
      await pool.runOnce();
      await world.untilReady(0);
      await expect.poll(() => world.used(), { timeout: 20_000 }).toBe(0); // each place goes after its container
      expect(world.creations.begun).toBe(2);
    });

    it('grows with the demand, and gives up what is not used', async () => {
      const pool = await world.pool({ sizes: { min: 1, max: 4 }, maxContainers: 1000 });
      await pool.runOnce();
      await world.untilReady(1);
      const claimed = [];
      for (let second = 0; second < 60; second += 1) {
        world.clock.advance(1);
        claimed.push((await world.claim()) ?? []);
      }
      await pool.runOnce();
      await world.untilReady(4, claimed.flat());
      expect(await pool.view()).toMatchObject({ target: 4 });
      // Looks are part of it: the demand is what was counted between two of them.
      for (let cycle = 0; cycle < 20; cycle += 1) {
        world.clock.advance(QUIET_SECONDS / 4);
        await pool.runOnce();
      }
      await world.untilReady(1, claimed.flat());
      expect(await pool.view()).toMatchObject({ size: 1, target: 1 });
      expect(world.removed).toEqual(['surplus', 'surplus', 'surplus']);
    });
  });

  describe('a creation that fails', () => {
    beforeEach(() => {
      world.imageMissing = true;
    });

    it('leaves nothing, and is not repeated before the next cycle', async () => {
      const pool = await world.pool();
      await pool.runOnce();
      await world.untilFailed(2);
      await world.untilWoken(pool);
      expect(world.creations.begun).toBe(2);
      expect([await world.containers(), await world.used()]).toEqual([[], 0]);
    });

    it('is followed by one at a time, until one succeeds', async () => {
      const pool = await world.pool({ sizes: { min: 4, max: 4 }, parallel: 3 });
      await pool.runOnce();
      await world.untilFailed(3);
      await pool.runOnce();
      await world.untilFailed(4);
      world.creations.most = 0;
      world.imageMissing = false;
      await pool.runOnce();
      expect(await pool.view()).toMatchObject({ starting: 1 });
      await world.untilReady(4);
      expect(world.creations).toMatchObject({ begun: 8, most: 3 });
    });
  });

  it('does not take in a container whose place lapsed while it was made', async () => {
    const pool = await world.pool();
    await pool.runOnce();
    world.clock.advance(31);
    await world.untilReady(2);
    expect(world.creations.begun).toBe(4);
    expect(await world.used()).toBe(2);
  });

  it('keeps a container that the store may have taken in: it can be claimed already', async () => {
    world.answersGetLost = true;
    const pool = await world.pool({ sizes: { min: 1, max: 1 } });
    await pool.runOnce();
    const [member] = await world.untilReady(1);
    await pool.close();
    const claimed = must(await world.claim());
    expect(claimed).toBe(must(member).container);
    expect(await world.containers()).toEqual([claimed]);
  });

  it('creates nothing while the image is not there, and begins when it is told that it is', async () => {
    world.imageReady = false;
    const pool = await world.pool();
    await pool.runOnce();
    expect(world.creations.begun).toBe(0);
    world.imageReady = true;
    pool.wake();
    await world.untilReady(2);
  });

  describe('what is outdated', () => {
    it('is replaced, all of it; with room for one more the pool never has fewer than its minimum', async () => {
      const before = await world.pool({ image: world.versions.before, sizes: { min: 3, max: 4 } });
      await before.runOnce();
      await world.untilReady(3);
      await before.close();
      world.sizes.length = 0;
      world.clock.advance(1);
      const after = await world.pool({ image: world.versions.after, sizes: { min: 3, max: 4 } });
      await after.runOnce();
      await world.untilRemoved(3);
      const members = await world.untilReady(3);
      expect(members.map(({ image }) => image)).toEqual(Array(3).fill(world.versions.after));
      expect(world.removed).toEqual(Array(3).fill('old-image'));
      expect(Math.min(...world.sizes.map(({ ready }) => ready))).toBe(3);
      expect(Math.max(...world.sizes.map(({ all }) => all))).toBe(4);
    });

    it('goes when its time is over, and its replacement comes before', async () => {
      const pool = await world.pool();
      await pool.runOnce();
      const first = await world.untilReady(2);
      world.clock.advance(1799);
      await pool.runOnce();
      expect(await world.untilReady(2)).toEqual(first);
      world.clock.advance(1);
      await pool.runOnce();
      await world.untilRemoved(2);
      expect(world.removed).toEqual(['expired', 'expired']);
      const second = await world.untilReady(2);
      expect(ids(second).filter((id) => ids(first).includes(id))).toEqual([]);
      expect(Math.min(...world.sizes.slice(2).map(({ ready }) => ready))).toBeGreaterThanOrEqual(1);
      expect(Math.max(...world.sizes.map(({ all }) => all))).toBe(3);
    });
  });

  describe('closing', () => {
    it('gives up what is being made, and leaves nothing of it', async () => {
      const pool = await world.pool();
      await pool.runOnce();
      expect(await pool.view()).toMatchObject({ size: 0, starting: 2 });
      await pool.close();
      expect([await world.members(), await world.containers(), await world.used()]).toEqual([[], [], 0]);
    });

    it('waits for a place that is being reserved, and gives it back', async () => {
      const pool = await world.pool();
      const closed = Promise.withResolvers<void>();
      world.onReserve = () => closed.resolve(pool.close());
      await Promise.all([pool.runOnce(), closed.promise]);
      expect([await world.used(), world.creations.begun]).toEqual([0, 0]);
    });

    it('keeps the members, and begins nothing any more', async () => {
      const pool = await world.pool();
      await pool.runOnce();
      const members = await world.untilReady(2);
      await pool.close();
      await world.claim();
      pool.wake();
      await pool.runOnce();
      expect(await world.members()).toEqual(members.slice(1));
      expect(world.creations.begun).toBe(2);
    });
  });
}

/** What the pools of several instances over one store promise together. */
export function sharedPoolBehaviour(openState: () => Promise<SharedState>, openBackend = children): void {
  eachWithAWorld(openState, openBackend);

  it('fill one pool at once, to its target and never beyond', async () => {
    const sizes = { min: 4, max: 4 };
    const pools = await Promise.all([world.pool({ sizes }), world.pool({ sizes })]);
    await Promise.all(pools.map((pool) => pool.runOnce()));
    await world.untilReady(4);
    expect(Math.max(...world.sizes.map(({ all }) => all))).toBe(4);
    expect(world.creations.begun).toBe(4);
  });

  it('leave the last place to conversations, also together', async () => {
    const settings = { sizes: { min: 6, max: 6 }, maxContainers: 5 };
    const pools = await Promise.all([world.pool(settings), world.pool(settings)]);
    await Promise.all(pools.map((pool) => pool.runOnce()));
    await world.untilReady(4);
    expect(world.creations.begun).toBe(4);
  });

  it('bring it back to its target after all its members died', async () => {
    const pools = await Promise.all([world.pool(), world.pool()]);
    await Promise.all(pools.map((pool) => pool.runOnce()));
    const dead = await world.untilReady(2);
    for (const { container } of dead) await world.die(container);
    await Promise.all(pools.map((pool) => pool.runOnce()));
    const alive = await world.untilReady(2);
    expect(ids(alive).filter((id) => ids(dead).includes(id))).toEqual([]);
    expect(Math.max(...world.sizes.map(({ all }) => all))).toBe(2);
  });

  it('go by the sizes that an operator set on one of them, from the next cycle of the other', async () => {
    const [one, other] = [await world.pool(), await world.pool()];
    await one.configure({ min: 3, max: 3 });
    await one.close();
    await world.untilReady((await world.members()).length);
    await other.runOnce();
    await world.untilReady(3);
    expect(await other.view()).toEqual({ size: 3, target: 3, starting: 0, min_size: 3, max_size: 3 });
    const third = await world.pool();
    await third.configure({ min: 0, max: 1 });
    await third.close();
    await other.runOnce();
    await world.untilReady(1);
  });

  it('of two versions don’t undo each other’s work', async () => {
    const before = await world.pool({ image: world.versions.before });
    await before.runOnce();
    await world.untilReady(2);
    world.clock.advance(1);
    const after = await world.pool({ image: world.versions.after });
    await after.runOnce();
    await world.untilRemoved(2);
    const members = await world.untilReady(2);
    world.clock.advance(1);
    for (const pool of [before, after, before, after]) await pool.runOnce();
    expect(await world.untilReady(2)).toEqual(members);
    expect(world.creations.begun).toBe(4);
  });

  it('replace what is outdated one by one where there is no room for more: never fewer than the minimum less one', async () => {
    const sizes = { min: 3, max: 3 };
    const before = await world.pool({ image: world.versions.before, sizes });
    await before.runOnce();
    await world.untilReady(3);
    await before.close();
    world.sizes.length = 0;
    world.clock.advance(1);
    // Two instances of the new version do it at once.
    const after = await Promise.all(['a', 'b'].map(() => world.pool({ image: world.versions.after, sizes })));
    await Promise.all(after.map((pool) => pool.runOnce()));
    await expect
      .poll(async () => (await world.members()).filter(({ image }) => image === world.versions.after), {
        timeout: 60_000,
      })
      .toHaveLength(3);
    await world.untilReady(3);
    expect(Math.min(...world.sizes.map(({ ready }) => ready))).toBe(2);
    expect(Math.max(...world.sizes.map(({ all }) => all))).toBe(3);
  });

  it('make up for each other where one can not create', async () => {
    const pool = await world.pool({ image: 'not-ours:1' });
    await pool.runOnce();
    await world.untilFailed(2);
    await (await world.pool()).runOnce();
    await world.untilReady(2);
  });
}
