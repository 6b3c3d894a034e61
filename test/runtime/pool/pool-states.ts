import fc from 'fast-check';
import { type ContainerId, conversationContainerId } from '../../../runtime/contracts/ids.ts';
import type { PoolAction, PoolAim, PoolMember, PoolSight } from '../../../runtime/pool/plan-pool.ts';

export const NOW = Date.UTC(2026, 10, 16, 12);

let made = 0;
export function newId(): ContainerId {
  made += 1;
  return conversationContainerId(made.toString(16).padStart(12, '0'));
}

export function member(change: Partial<PoolMember> & { age?: number } = {}): PoolMember {
  const { age = 0, ...fields } = change;
  return { container: newId(), image: 'new', createdAt: NOW - age * 1000, ...fields };
}

export function sight(change: Partial<PoolSight> = {}): PoolSight {
  const { members = [], starting = 0 } = change;
  return { members, starting, used: members.length + starting, now: NOW, ...change };
}

export function aim(change: Partial<PoolAim> = {}): PoolAim {
  return {
    target: 2,
    max: 10,
    maxContainers: 100,
    image: 'new',
    imageSince: NOW,
    ttlSeconds: 1800,
    canCreate: true,
    trim: true,
    ...change,
  };
}

const members = fc
  .array(
    fc.record({
      image: fc.constantFrom('new', 'old'),
      age: fc.integer({ min: 0, max: 4000 }),
    }),
    { maxLength: 30 },
  )
  .map((list) => list.toSorted((a, b) => b.age - a.age).map(member));

/** Pools of any kind, also those that no plan would have led to. */
export const anySight: fc.Arbitrary<PoolSight> = fc
  .record({ members, starting: fc.nat(10), others: fc.nat(40) })
  .map(({ others, ...pool }) => sight({ ...pool, used: pool.members.length + pool.starting + others }));

export const anyAim: fc.Arbitrary<PoolAim> = fc
  .record({
    target: fc.nat(30),
    max: fc.nat(30),
    maxContainers: fc.integer({ min: 1, max: 120 }),
    canCreate: fc.boolean(),
    trim: fc.boolean(),
  })
  .map(aim);

export function removals(actions: PoolAction[]) {
  return actions.filter((action) => action.kind === 'remove');
}

export function created(actions: PoolAction[]): number {
  return actions.reduce((sum, action) => sum + (action.kind === 'create' ? action.count : 0), 0);
}
