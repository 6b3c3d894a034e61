import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type PoolAim,
  type PoolMember,
  type PoolSight,
  placesForPool,
  planPool,
  QUIET_SECONDS,
  stepOf,
} from '../../../runtime/pool/plan-pool.ts';
import { aim, anyAim, anySight, created, member, NOW, removals, sight } from './pool-states.ts';

const fresh = (count: number, age = 0) => Array.from({ length: count }, () => member({ age }));
const remove = ({ container }: PoolMember, reason: string) => ({ kind: 'remove', container, reason });

describe('what is missing', () => {
  it('is created up to the target, counting what is starting', () => {
    const plan = planPool(sight({ members: fresh(1), starting: 1 }), aim({ target: 5 }));
    expect(plan).toEqual([{ kind: 'create', count: 3, upTo: 5 }]);
  });

  it('is nothing at the target', () => {
    expect(planPool(sight({ members: fresh(2) }), aim())).toEqual([]);
  });

  it('waits until something can be created', () => {
    expect(planPool(sight(), aim({ canCreate: false }))).toEqual([]);
  });

  it('is bounded by the maximum and by the room that the spare places leave', () => {
    expect(created(planPool(sight(), aim({ target: 9, max: 3 })))).toBe(3);
    expect(created(planPool(sight({ used: 93 }), aim({ target: 9 })))).toBe(2);
    expect(created(planPool(sight({ used: 95 }), aim({ target: 9 })))).toBe(0);
    expect(created(planPool(sight({ used: 99 }), aim({ target: 9 })))).toBe(0);
  });

  it.each([
    [1, 0],
    [2, 1],
    [20, 19],
    [100, 95],
    [1000, 950],
  ])('of %d containers the pool may bring the whole to %d', (maxContainers, most) => {
    expect(placesForPool(maxContainers)).toBe(most);
  });
});

describe('a member past its time', () => {
  const [old, young] = [member({ age: 1800 }), member({ age: 1799 })];

  it('is replaced by a new one that comes first, as long as there is room', () => {
    expect(planPool(sight({ members: [old, young] }), aim())).toEqual([
      { kind: 'create', count: 1, upTo: 3 },
    ]);
    expect(planPool(sight({ members: [old, young], starting: 1 }), aim())).toEqual([]);
    expect(planPool(sight({ members: [old, young, member()] }), aim())).toEqual([remove(old, 'expired')]);
  });

  it('goes first where the maximum leaves no room, and only then', () => {
    const tight = aim({ max: 2 });
    expect(planPool(sight({ members: [old, young] }), tight)).toEqual([remove(old, 'expired')]);
    expect(planPool(sight({ members: [old] }), tight)).toEqual([{ kind: 'create', count: 1, upTo: 2 }]);
    expect(planPool(sight({ members: [old], starting: 1 }), tight)).toEqual([]);
  });

  it('goes first where the containers are all in use, if its place can be had again', () => {
    const full = { members: [old, young] };
    expect(planPool(sight({ ...full, used: 95 }), aim())).toEqual([remove(old, 'expired')]);
    expect(planPool(sight({ ...full, used: 96 }), aim())).toEqual([]);
  });

  it('stays while nothing can be created', () => {
    expect(planPool(sight({ members: [old, young] }), aim({ canCreate: false, max: 2 }))).toEqual([]);
  });

  it('goes without a replacement where the target does without it', () => {
    const members = [old, member({ age: 1800 }), young];
    const plan = planPool(sight({ members }), aim({ target: 1, canCreate: false }));
    expect(plan).toEqual([remove(old, 'expired'), remove(members[1] as PoolMember, 'expired')]);
  });
});

describe('a member of another image', () => {
  it('is replaced if it was there before this version', () => {
    const old = member({ image: 'old', age: 60 });
    const members = [old, member(), member()];
    expect(planPool(sight({ members }), aim())).toEqual([remove(old, 'old-image')]);
  });

  it('made by another version that runs beside this one, stays for its time', () => {
    const theirs = member({ image: 'other', age: 10 });
    const imageSince = NOW - 20_000;
    expect(planPool(sight({ members: [theirs, member()] }), aim({ imageSince }))).toEqual([]);
    const later = sight({ members: [theirs, member(), member()], now: NOW + 1800_000 - 10_000 });
    expect(planPool(later, aim({ imageSince }))).toEqual([remove(theirs, 'expired')]);
  });
});

describe('what is beyond the target', () => {
  it('goes oldest first, a step a cycle, once the pool is quiet', () => {
    const members = [...fresh(2, QUIET_SECONDS + 1), ...fresh(3, QUIET_SECONDS)];
    expect(planPool(sight({ members }), aim())).toEqual([remove(members[0] as PoolMember, 'surplus')]);
    expect(planPool(sight({ members }), aim({ trim: false }))).toEqual([]);
  });

  it('stays while members are being added', () => {
    const members = [...fresh(4, 1000), member({ age: QUIET_SECONDS - 1 })];
    expect(planPool(sight({ members }), aim())).toEqual([]);
  });

  it('and beyond the maximum goes at once, whatever else holds', () => {
    const members = fresh(6);
    const plan = planPool(sight({ members, starting: 1 }), aim({ max: 3, trim: false, canCreate: false }));
    expect(plan).toEqual(members.slice(0, 4).map((each) => remove(each, 'surplus')));
  });

  it('goes before up-to-date members if it is outdated, though it be younger', () => {
    const [elder, old] = [member({ age: 70 }), member({ age: 60, image: 'old' })];
    const plan = planPool(sight({ members: [elder, old, member()] }), aim());
    expect(plan).toEqual([remove(old, 'old-image')]);
  });
});

describe('any pool', () => {
  it('is led neither beyond its maximum nor into the spare places', () => {
    fc.assert(
      fc.property(anySight, anyAim, (seen, wanted) => {
        const plan = planPool(seen, wanted);
        const count = created(plan);
        if (count === 0) return;
        const total = seen.members.length + seen.starting + count;
        expect(total).toBeLessThanOrEqual(wanted.max);
        expect(seen.used + count).toBeLessThanOrEqual(placesForPool(wanted.maxContainers));
        expect(plan).toEqual([expect.objectContaining({ upTo: expect.any(Number) })]);
        expect(plan[0]).toSatisfy((action: { upTo: number }) => total <= action.upTo);
        expect(plan[0]).toSatisfy((action: { upTo: number }) => action.upTo <= wanted.max);
      }),
    );
  });

  it('loses a member once, and none below its target but a step of outdated ones', () => {
    fc.assert(
      fc.property(anySight, anyAim, (seen, wanted) => {
        const gone = removals(planPool(seen, wanted));
        const ids = gone.map(({ container }) => container);
        expect(new Set(ids).size).toBe(ids.length);
        expect(seen.members.map(({ container }) => container)).toEqual(expect.arrayContaining(ids));
        const target = Math.min(wanted.target, wanted.max);
        const over = seen.members.length + seen.starting - wanted.max;
        const left = seen.members.length - gone.length;
        if (over > 0) expect(left === 0 || left + seen.starting >= target).toBe(true);
        if (gone.length === 0 || over > 0 || left >= target) return;
        expect(gone.every(({ reason }) => reason !== 'surplus')).toBe(true);
        expect(seen.members.length).toBe(target);
        expect(gone.length).toBeLessThanOrEqual(stepOf(target));
        expect(wanted.canCreate).toBe(true);
      }),
    );
  });

  it('comes to its target with members that are all up to date, and stays there', () => {
    fc.assert(
      fc.property(
        anySight,
        anyAim.map((wanted) => ({ ...wanted, canCreate: true, trim: true, ttlSeconds: 100_000 })),
        (start, wanted) => {
          const others = start.used - start.members.length - start.starting;
          const target = Math.min(wanted.target, wanted.max);
          fc.pre(others + target <= placesForPool(wanted.maxContainers));
          const end = afterMany(start, wanted, others);
          expect(end.members.length).toBe(target);
          expect(end.members.every(({ image }) => image === 'new')).toBe(true);
          expect(planPool(end, wanted)).toEqual([]);
        },
      ),
    );
  });

  it('makes no plan from numbers that are none, and never throws', () => {
    const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(Number.NaN, Infinity, -1, 0.5));
    const anyNumbers = fc.record({
      target: number,
      max: number,
      maxContainers: number,
      ttlSeconds: number,
      imageSince: number,
    });
    fc.assert(
      fc.property(anySight, anyNumbers, number, (seen, numbers, now) => {
        const plan = planPool({ ...seen, now }, aim(numbers));
        if ([numbers.target, numbers.max, numbers.maxContainers].some((n) => !Number.isInteger(n) || n < 0))
          expect(plan).toEqual([]);
      }),
    );
    const odd = { ...member(), createdAt: Number.NaN };
    expect(planPool(sight({ members: [odd, ...fresh(3, 4000)] }), aim({ target: 3 }))).toHaveLength(1);
  });
});

/** A cycle a minute: what is planned is done, and what was starting is ready by the next. */
function afterMany(start: PoolSight, wanted: PoolAim, others: number): PoolSight {
  let now = start.now;
  let { members, starting } = start;
  for (let cycle = 0; cycle < 150; cycle += 1) {
    const plan = planPool({ members, starting, used: members.length + starting + others, now }, wanted);
    const gone = new Set(removals(plan).map(({ container }) => container));
    const arrived = Array.from({ length: starting }, () => member({ createdAt: now }));
    members = [...members.filter(({ container }) => !gone.has(container)), ...arrived];
    starting = created(plan);
    now += 60_000;
  }
  return { members, starting, used: members.length + starting + others, now };
}
