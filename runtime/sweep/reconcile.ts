import type { LeaseStore } from '../state/lease-store.ts';
import { Leadership } from './leadership.ts';
import type { RoleOwner } from './role-owner.ts';
import { RoleSweep, type RoleSweepParts, type SweepReport } from './role-sweep.ts';

interface Parts extends RoleSweepParts {
  owners: readonly RoleOwner[];
  leases: LeaseStore;
  /** This one, among those that share the store. */
  instance: string;
  onBreaker: (open: boolean) => void;
}

export interface SweepRequest {
  /** What the breaker holds may be ended: all that has no owner at this look. */
  releaseBreaker?: boolean;
  /** Milliseconds, by a clock that only goes forward. */
  now?: number;
}

/** Holds what the backend runs against what the store knows. */
export class Reconcile {
  readonly #roles: RoleSweep[];
  readonly #lead: Leadership;
  readonly #onBreaker: (open: boolean) => void;
  #last: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts) {
    this.#roles = parts.owners.map((owner) => new RoleSweep(owner, parts));
    this.#lead = new Leadership(parts.leases, 'sweep', parts.instance);
    this.#onBreaker = parts.onBreaker;
  }

  /** For a loop. Undefined: another instance sees to it, and nothing that was released here is left to do. */
  async turn(now?: number): Promise<SweepReport | undefined> {
    const ours = (await this.#lead.held()) || this.#roles.some((role) => role.hasReleased);
    return ours ? this.runOnce(now === undefined ? {} : { now }) : undefined;
  }

  /** As this instance's last look left it. Another may lead: then it is closed here. */
  get breaker(): { open: boolean; held: number } {
    return {
      open: this.#roles.some((role) => role.breakerIsOpen),
      held: this.#roles.reduce((sum, role) => sum + role.heldCount, 0),
    };
  }

  /** A look that begins now, or when the one under way is through. */
  runOnce(request: SweepRequest = {}): Promise<SweepReport> {
    const look = this.#last.then(() => this.#look(request));
    this.#last = look.catch(() => undefined);
    return look;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#lead.resign();
  }

  /** A role that can't be looked at doesn't keep the others from it. */
  async #look({
    releaseBreaker = false,
    now = Math.floor(performance.now()),
  }: SweepRequest): Promise<SweepReport> {
    const looks = await Promise.allSettled(this.#roles.map((role) => role.look(now, releaseBreaker)));
    this.#onBreaker(this.#roles.some((role) => role.breakerIsOpen));
    const failed = looks.find((look) => look.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return looks
      .flatMap((look) => (look.status === 'fulfilled' ? [look.value] : []))
      .reduce(together, NOTHING);
  }
}

const NOTHING: SweepReport = {
  listed: 0,
  marked: 0,
  adopted: 0,
  destroyed: 0,
  held: 0,
  lost: 0,
  nextLookIn: undefined,
};

function together(one: SweepReport, other: SweepReport): SweepReport {
  return {
    listed: one.listed + other.listed,
    marked: one.marked + other.marked,
    adopted: one.adopted + other.adopted,
    destroyed: one.destroyed + other.destroyed,
    held: one.held + other.held,
    lost: one.lost + other.lost,
    nextLookIn: sooner(one.nextLookIn, other.nextLookIn),
  };
}

function sooner(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
