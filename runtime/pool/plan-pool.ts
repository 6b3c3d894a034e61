import type { Instant } from '../contracts/conversation-record.ts';
import type { ContainerId } from '../contracts/ids.ts';

export type PoolAction =
  /** As many of these as bring ready + starting to `upTo` at most. */
  | { kind: 'create'; count: number; upTo: number }
  | { kind: 'remove'; container: ContainerId; reason: RemovalReason };

export type RemovalReason = 'expired' | 'old-image' | 'surplus';

/** The pool as it is. */
export interface PoolSight {
  /** Those that are ready, the oldest first. */
  members: readonly PoolMember[];
  /** Being created, by anyone. */
  starting: number;
  /** Containers of all kinds that count against `maxContainers`. */
  used: number;
  now: Instant;
}

export interface PoolMember {
  container: ContainerId;
  image: string;
  createdAt: Instant;
}

/** The pool as it should be. */
export interface PoolAim {
  target: number;
  /** Most that may be ready or starting. */
  max: number;
  maxContainers: number;
  image: string;
  /** Members of another image are old if they were there by then: two versions side by side don't undo each other. */
  imageSince: Instant;
  ttlSeconds: number;
  canCreate: boolean;
  /** Whether surplus may go now: once a cycle, however often the pool is looked at. */
  trim: boolean;
}

/** Surplus stays until nobody has added a member for this long. */
export const QUIET_SECONDS = 300;

/**
 * What brings the pool nearer to its aim. Creations never lead beyond `max`, nor into the spare places. What is
 * outdated is replaced a step at a time: while there is room for a member more, the new one comes first and the pool
 * never goes below its target for it; where there is none, the old one goes first, and the pool is a step below its
 * target until the new one is there. Nothing goes that could not be made again.
 */
export function planPool(sight: PoolSight, aim: PoolAim): PoolAction[] {
  if (!allWhole(sight.starting, sight.used, aim.target, aim.max, aim.maxContainers)) return [];
  const target = Math.min(aim.target, aim.max);
  const outdated = sight.members.flatMap((member) => outdatedFor(member, sight.now, aim));
  const needless = Math.max(aboveMax(sight, aim), surplus(sight, outdated.length, aim, target));
  if (needless > 0) return leastUseful(sight, outdated).slice(0, needless);
  const missing = create(sight, aim, target);
  if (missing.length > 0 || outdated.length === 0) return missing;
  return replace(sight, outdated, aim, target);
}

/** How many are replaced or given up at a time: one of a small pool, a tenth of a large one. */
export function stepOf(size: number): number {
  return Math.max(1, Math.floor(size / 10));
}

/** What the pool leaves to those who need a container now: a member that is still starting serves nobody. */
export function placesForPool(maxContainers: number): number {
  return maxContainers - Math.ceil(maxContainers / 20);
}

/** Whether soon someone who needs a container is refused. */
export function isNearlyFull(used: number, maxContainers: number): boolean {
  return used * 10 > maxContainers * 9;
}

type Removal = Extract<PoolAction, { kind: 'remove' }>;

function outdatedFor(member: PoolMember, now: Instant, aim: PoolAim): Removal[] {
  const { container } = member;
  if (member.image !== aim.image && member.createdAt <= aim.imageSince) {
    return [{ kind: 'remove', container, reason: 'old-image' }];
  }
  if (member.createdAt + aim.ttlSeconds * 1000 <= now)
    return [{ kind: 'remove', container, reason: 'expired' }];
  return [];
}

/** How many there are beyond the maximum, which an operator may have lowered: they go at once. */
function aboveMax({ members, starting }: PoolSight, { max }: PoolAim): number {
  return members.length + starting - max;
}

/**
 * How many of those beyond the target go now. What is outdated does; the rest only where the pool is quiet, a step a
 * cycle: claims use it up by themselves, and instances that differ about the target don't undo each other's work.
 */
function surplus({ members, now }: PoolSight, outdated: number, { trim }: PoolAim, target: number): number {
  const over = members.length - target;
  const lastAdded = Math.max(...members.map(({ createdAt }) => createdAt));
  const quiet = lastAdded + QUIET_SECONDS * 1000 <= now;
  return Math.min(over, Math.max(outdated, trim && quiet ? stepOf(members.length) : 0));
}

/** What is outdated, then the oldest. */
function leastUseful({ members }: PoolSight, outdated: Removal[]): Removal[] {
  const listed = new Set(outdated.map(({ container }) => container));
  const others = members.filter(({ container }) => !listed.has(container));
  return [...outdated, ...others.map(asSurplus)];
}

function create(sight: PoolSight, aim: PoolAim, upTo: number): PoolAction[] {
  if (!aim.canCreate) return [];
  const wanted = Math.min(upTo, aim.max) - sight.members.length - sight.starting;
  const count = Math.min(wanted, placesForPool(aim.maxContainers) - sight.used);
  return count > 0 ? [{ kind: 'create', count, upTo: Math.min(upTo, aim.max) }] : [];
}

/** Nothing is missing: the next step of the outdated ones. */
function replace(sight: PoolSight, outdated: Removal[], aim: PoolAim, target: number): PoolAction[] {
  if (sight.members.length + sight.starting > target) return []; // a step is under way
  const step = Math.min(stepOf(target), outdated.length);
  const first = create(sight, aim, target + step);
  if (first.length > 0) return first;
  const complete = sight.members.length === target;
  const canBeMadeAgain = aim.canCreate && sight.used <= placesForPool(aim.maxContainers);
  return complete && canBeMadeAgain ? outdated.slice(0, step) : [];
}

function asSurplus({ container }: PoolMember): Removal {
  return { kind: 'remove', container, reason: 'surplus' };
}

function allWhole(...numbers: number[]): boolean {
  return numbers.every((number) => Number.isInteger(number) && number >= 0);
}
