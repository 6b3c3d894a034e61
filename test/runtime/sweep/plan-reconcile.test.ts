import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ContainerId } from '../../../runtime/contracts/ids.ts';
import {
  DESTROYED_A_LOOK,
  type DueOrphan,
  type Mark,
  nextLook,
  planReconcile,
  sortOrphans,
} from '../../../runtime/sweep/plan-reconcile.ts';
import { container } from '../../contract/state/names.ts';

const NOW = 1_000_000;
const GRACE = 60_000;
const mark = (fields: Partial<Mark> = {}): Mark => ({
  since: NOW - GRACE,
  held: false,
  released: false,
  ...fields,
});
const containers = (count: number, from = 0) => Array.from({ length: count }, (_, n) => container(from + n));

function sorted(seen: {
  listed: ContainerId[];
  placed?: ContainerId[];
  marks?: [ContainerId, Mark][];
  release?: boolean;
}) {
  return sortOrphans({
    listed: seen.listed,
    placed: new Set(seen.placed),
    marks: new Map(seen.marks),
    release: seen.release ?? false,
    graceMs: GRACE,
    now: NOW,
  });
}

describe('sortOrphans', () => {
  const [one, two] = [container(1), container(2)];

  it('marks with the time what it sees for the first time', () => {
    expect(sorted({ listed: [one] })).toEqual({
      marks: new Map([[one, mark({ since: NOW })]]),
      fresh: [one],
      due: [],
    });
  });

  it('has one due when its grace is over, and not a millisecond before', () => {
    expect(sorted({ listed: [one], marks: [[one, mark({ since: NOW - GRACE + 1 })]] }).due).toEqual([]);
    expect(sorted({ listed: [one], marks: [[one, mark()]] }).due).toEqual([one]);
  });

  it('is never due at its first sight, however short the grace', () => {
    const seen = { listed: [one], placed: new Set<ContainerId>(), marks: new Map(), release: false };
    expect(sortOrphans({ ...seen, graceMs: 0, now: NOW }).due).toEqual([]);
  });

  it('forgets a mark once its container has a place, or is gone', () => {
    const marks: [ContainerId, Mark][] = [
      [one, mark()],
      [two, mark()],
    ];
    expect(sorted({ listed: [one], placed: [one], marks })).toEqual({ marks: new Map(), fresh: [], due: [] });
  });

  it('takes an operator’s word for what is held, and for what it has just found', () => {
    const { marks } = sorted({ listed: [one, two], marks: [[one, mark({ held: true })]], release: true });
    expect(marks.get(one)).toEqual(mark({ released: true }));
    expect(marks.get(two)).toEqual(mark({ since: NOW, released: true }));
  });
});

describe('planReconcile', () => {
  const due = (ticket: DueOrphan['ticket'], count: number, fields: Partial<Mark> = {}): DueOrphan[] =>
    containers(count).map((each) => ({ container: each, ticket, mark: mark(fields) }));
  const kinds = (orphans: DueOrphan[], listed: number) =>
    planReconcile(orphans, listed).actions.map(({ kind }) => kind);

  it('adopts one with a ticket, also where the store will have to choose', () => {
    expect(kinds(due('valid', 1), 1)).toEqual(['adopt']);
    expect(kinds(due('contested', 1), 1)).toEqual(['adopt']);
  });

  it('ends those without one, ten a look', () => {
    expect(kinds(due('none', 12), 12)).toEqual([...Array(DESTROYED_A_LOOK).fill('destroy'), 'wait', 'wait']);
  });

  it.each([
    { orphans: 5, listed: 5, tripped: false },
    { orphans: 6, listed: 6, tripped: true },
    { orphans: 6, listed: 20, tripped: false },
    { orphans: 7, listed: 20, tripped: true },
    { orphans: 30, listed: 100, tripped: false },
    { orphans: 31, listed: 100, tripped: true },
  ])(
    '$orphans sudden ones with tickets of $listed trip the breaker: $tripped',
    ({ orphans, listed, tripped }) => {
      expect(planReconcile(due('valid', orphans), listed).tripped).toBe(tripped);
    },
  );

  it('counts no ticketless ones for the breaker, nor those that were released', () => {
    expect(planReconcile(due('none', 100), 100).tripped).toBe(false);
    expect(planReconcile(due('contested', 100, { released: true }), 100).tripped).toBe(false);
  });

  it('behind a tripped breaker still adopts who has no rival, and leaves the others', () => {
    expect(kinds(due('valid', 6), 6)).toEqual(Array(6).fill('adopt'));
    expect(kinds(due('contested', 6), 6)).toEqual(Array(6).fill('hold'));
  });

  it('keeps what it held when the others are gone, until it is released', () => {
    expect(kinds(due('contested', 1, { held: true }), 100)).toEqual(['hold']);
    expect(kinds(due('none', 1, { held: true }), 100)).toEqual(['hold']);
    expect(kinds(due('contested', 1, { released: true }), 100)).toEqual(['adopt']);
    expect(kinds(due('none', 1, { released: true }), 100)).toEqual(['destroy']);
  });

  const orphan = (n: number) =>
    fc.record({
      container: fc.constant(container(n)),
      ticket: fc.constantFrom<DueOrphan['ticket']>('valid', 'contested', 'none'),
      mark: fc
        .constantFrom({}, { held: true }, { released: true })
        .map((fields: Partial<Mark>) => mark(fields)),
    });
  const orphans = fc
    .nat(40)
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, n) => orphan(n))));

  it('ends nobody who shows a ticket without asking the store, and never more than ten others', () => {
    fc.assert(
      fc.property(orphans, fc.nat(60), (all, more) => {
        const { actions, tripped } = planReconcile(all, all.length + more);
        expect(actions.map((action) => action.container)).toEqual(all.map((each) => each.container));
        const destroyed = actions.filter(({ kind }) => kind === 'destroy');
        expect(destroyed.length).toBeLessThanOrEqual(DESTROYED_A_LOOK);
        actions.forEach(({ kind }, at) => {
          const { ticket, mark } = all[at] ?? { ticket: 'valid', mark: undefined };
          if (kind === 'destroy') expect(ticket).toBe('none');
          if (ticket === 'valid') expect(kind).toBe('adopt');
          const kept =
            mark?.released !== true && (mark?.held === true || (tripped && ticket === 'contested'));
          if (kept && ticket !== 'valid') expect(kind).toBe('hold');
          if (!kept) expect(kind).not.toBe('hold');
        });
      }),
    );
  });
});

describe('the two looks together', () => {
  it('act on nobody who had a place, or was not there, at any look of the last grace period', () => {
    const look = fc.record({
      after: fc.integer({ min: 1, max: 40_000 }),
      listed: fc.subarray(containers(6)),
      placed: fc.subarray(containers(6)),
      release: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(look, { maxLength: 20 }), (looks) => {
        let marks: ReadonlyMap<ContainerId, Mark> = new Map();
        let now = NOW;
        const wellAt = new Map<ContainerId, number>();
        for (const { after, listed, placed, release } of looks) {
          now += after;
          const seen = { listed, placed: new Set(placed), marks, release, graceMs: GRACE, now };
          const orphans = sortOrphans(seen);
          for (const each of containers(6)) {
            if (!listed.includes(each) || placed.includes(each)) wellAt.set(each, now);
          }
          for (const each of orphans.due) {
            expect(now - (wellAt.get(each) ?? NOW)).toBeGreaterThan(GRACE - 1);
            expect(marks.has(each)).toBe(true);
          }
          marks = orphans.marks;
        }
      }),
    );
  });
});

describe('nextLook', () => {
  it('comes when the first grace is over', () => {
    const marks = new Map([
      [container(1), mark({ since: NOW - 10_000 })],
      [container(2), mark({ since: NOW - 20_000 })],
    ]);
    expect(nextLook(marks, [], GRACE, NOW)).toBe(40_000);
  });

  it('comes soon while some wait for their turn', () => {
    const marks = new Map([[container(1), mark({ since: NOW })]]);
    expect(nextLook(marks, [{ kind: 'wait', container: container(2) }], GRACE, NOW)).toBe(2000);
  });

  it('is not wanted for what is held, or could not be done', () => {
    expect(nextLook(new Map([[container(1), mark({ held: true })]]), [], GRACE, NOW)).toBeUndefined();
    const failed = [{ kind: 'destroy', container: container(1) } as const];
    expect(nextLook(new Map([[container(1), mark()]]), failed, GRACE, NOW)).toBeUndefined();
  });
});
