import type { Instant } from '../../contracts/conversation-record.ts';
import { BerthError } from '../../contracts/errors.ts';
import type { ContainerId } from '../../contracts/ids.ts';
import type { Fenced } from '../conversation-store.ts';
import type { MemberRequest, PoolSizes, PoolView, WarmPoolStore } from '../warm-pool-store.ts';
import { MemoryRecords, ms } from './memory-records.ts';
import type { MemoryState } from './memory-state.ts';

/** The warm pool in this process. */
export class MemoryWarmPoolStore implements WarmPoolStore {
  readonly #state: MemoryState;
  readonly #clock: { now(): Instant };

  constructor(state: MemoryState, clock: { now(): Instant }) {
    this.#state = state;
    this.#clock = clock;
  }

  async look(): Promise<PoolView> {
    const { warm, poolSizes, demand } = this.#state;
    return {
      members: [...warm.values()].map(({ addedBy: _, ...member }) => member),
      starting: this.#startingNow(),
      sizes: poolSizes && { ...poolSizes },
      demand,
      used: this.#records().placesUsed(),
      now: this.#clock.now(),
    };
  }

  async configure({ min, max }: PoolSizes): Promise<void> {
    this.#state.poolSizes = { min, max };
  }

  async reserve(
    request: MemberRequest & { most: number; maxContainers: number },
  ): Promise<'reserved' | 'full' | 'no-room'> {
    const { container, owner, most, maxContainers } = request;
    const { reserved, expiry, warm, starting } = this.#state;
    if (this.#isStarting(container, owner)) return 'reserved';
    if (reserved.has(container) || expiry.has(container) || warm.has(container)) {
      throw new BerthError('INTERNAL', `The container id ${container} is taken already.`);
    }
    if (warm.size + this.#startingNow() >= most) return 'full';
    if (this.#records().placesUsed() >= maxContainers) return 'no-room';
    const until = this.#clock.now() + ms(request.leaseSeconds);
    reserved.set(container, until);
    starting.set(container, { owner, until });
    return 'reserved';
  }

  async renew({ container, owner, leaseSeconds }: MemberRequest): Promise<Fenced> {
    const start = this.#isStarting(container, owner);
    if (!start) return 'stale';
    start.until = Math.max(start.until, this.#clock.now() + ms(leaseSeconds));
    this.#state.reserved.set(container, start.until);
    return 'done';
  }

  async add(request: {
    container: ContainerId;
    owner: string;
    image: string;
    manager: string;
  }): Promise<Fenced> {
    const { container, owner, image, manager } = request;
    const { warm, reserved, starting } = this.#state;
    if (!this.#isStarting(container, owner)) {
      const claimed = (this.#records().findByContainer(container)?.claimedFor ?? null) !== null;
      return claimed || warm.get(container)?.addedBy === owner ? 'done' : 'stale';
    }
    starting.delete(container);
    reserved.delete(container);
    warm.set(container, { container, image, manager, createdAt: this.#clock.now(), addedBy: owner });
    return 'done';
  }

  async remove({ container, stopSeconds }: { container: ContainerId; stopSeconds: number }): Promise<Fenced> {
    if (!this.#state.warm.delete(container)) {
      return this.#records().isStopping(container) ? 'done' : 'stale';
    }
    this.#state.reserved.set(container, this.#clock.now() + ms(stopSeconds));
    return 'done';
  }

  /** The place if this owner still creates a member in it. A lapsed lease is lost for good. */
  #isStarting(container: ContainerId, owner: string): { until: Instant } | undefined {
    const start = this.#state.starting.get(container);
    return start?.owner === owner && start.until > this.#clock.now() ? start : undefined;
  }

  #startingNow(): number {
    const now = this.#clock.now();
    return [...this.#state.starting.values()].filter(({ until }) => until > now).length;
  }

  #records(): MemoryRecords {
    return new MemoryRecords(this.#state, this.#clock.now());
  }
}
