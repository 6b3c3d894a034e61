import type { ContainerId } from '../../../runtime/contracts/ids.ts';
import type { MemberPort, Pace } from '../../../runtime/pool/member-creation.ts';
import { newId } from './pool-states.ts';

/** A store and an engine small enough to see through: places, containers, members, and when each call fails. */
export class MembersMade implements MemberPort {
  readonly places = new Set<ContainerId>();
  readonly containers = new Set<ContainerId>();
  readonly members: ContainerId[] = [];
  readonly renewed = new Set<ContainerId>();
  attempts = 0;
  proved = 0;
  /** One a creation, in turn; none: it succeeds. */
  failures: (unknown | undefined)[] = [];
  addFails: unknown;
  destroyFails: unknown;
  loseLease: () => void = () => undefined;
  /** What a creation waits for, if anything. */
  creating: (signal: AbortSignal) => Promise<void> = async () => undefined;

  newId = newId;

  async reserve(container: ContainerId, upTo: number) {
    if (this.places.size + this.members.length >= upTo) return 'full';
    this.places.add(container);
    return 'reserved';
  }

  renew(container: ContainerId, onLost: () => void): Disposable {
    this.renewed.add(container);
    this.loseLease = () => {
      this.places.delete(container);
      onLost();
    };
    return { [Symbol.dispose]: () => void this.renewed.delete(container) };
  }

  async create(container: ContainerId, signal: AbortSignal): Promise<void> {
    this.attempts += 1;
    this.containers.add(container);
    await this.creating(signal);
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
  }

  async prove(): Promise<void> {
    this.proved += 1;
  }

  async add(container: ContainerId) {
    if (this.addFails !== undefined) throw this.addFails;
    if (!this.places.delete(container)) return 'stale';
    this.members.push(container);
    return 'done';
  }

  async destroy(container: ContainerId): Promise<void> {
    if (this.destroyFails !== undefined) throw this.destroyFails;
    this.containers.delete(container);
    this.places.delete(container);
  }
}

/** Sleeps no time, and remembers how long it should have been. */
export class QuickPace implements Pace {
  readonly slept: number[] = [];

  readonly #chance: number;

  constructor(chance = 0.5) {
    this.#chance = chance;
  }

  async sleep(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.slept.push(ms);
  }

  random(): number {
    return this.#chance;
  }
}
