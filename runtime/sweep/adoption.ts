import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ContainerBackend, ContainerView } from '../containers/container-backend.ts';
import type { AdoptionStore } from '../state/adoption-store.ts';
import type { LeaseStore } from '../state/lease-store.ts';
import { Leadership } from './leadership.ts';
import {
  type AdoptionPlan,
  type AdoptionSettings,
  adoptRequest,
  type Claim,
  planAdoption,
} from './plan-adoption.ts';
import { sideBySide } from './side-by-side.ts';
import type { OnSweepAction } from './sweep-action.ts';
import type { Inquiry, Testimony } from './testimony.ts';

const SIDE_BY_SIDE = 16;
const POLL_MS = 250;

interface Parts {
  store: AdoptionStore;
  leases: LeaseStore;
  backend: ContainerBackend;
  inquiry: Inquiry;
  settings: AdoptionSettings;
  /** This one, among those that share the store. */
  instance: string;
  log: Logger;
  onAction: OnSweepAction;
}

/** Rebuilds a store that lost, or may have lost, what it knew, from the containers themselves. */
export class Adoption {
  readonly #parts: Parts;
  #running: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Resolves once adoption is not needed, whoever did it. Throws what kept it from being done: a backend that can't be
   * listed, a store that is away; then nothing is complete, and claims stay refused.
   */
  run(): Promise<void> {
    this.#running ??= this.#untilNotNeeded().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #untilNotNeeded(): Promise<void> {
    const { store, leases, instance } = this.#parts;
    while ((await store.needed()) !== undefined) {
      await using lease = new Leadership(leases, 'adoption', instance);
      if (!(await lease.held())) {
        await sleep(POLL_MS);
        continue;
      }
      const life = await store.needed(); // who held the lease before may have done it
      if (life !== undefined) await this.#adoptAll(life, lease);
    }
  }

  async #adoptAll(life: string, lease: Leadership): Promise<void> {
    const { store, backend, log } = this.#parts;
    const listed = await backend.list('conversation');
    const level = listed.length === 0 ? 'debug' : 'warn'; // a first start has nothing to lose
    log[level]({ listed: listed.length }, 'the store may have lost what it knew; adopting what runs');
    const failures: unknown[] = [];
    const seen = await this.#askAll(listed, failures);
    if (!(await lease.held())) return; // another instance took over while this one was paused
    await store.discardWarm();
    const plan = planAdoption(seen);
    const superseded = await this.#adoptEach(plan.adopt, failures);
    // With one unsure, claims stay refused: its conversation could get a second container.
    if (failures.length > 0) throw failures[0];
    await this.#leave([...plan.leave, ...superseded]);
    const completed = await store.complete(life);
    log[level](
      { listed: listed.length, adopted: plan.adopt.length - superseded.length, completed },
      'adoption is over',
    );
  }

  async #askAll(
    listed: ContainerView[],
    failures: unknown[],
  ): Promise<{ container: ContainerView; testimony: Testimony }[]> {
    const { inquiry, log } = this.#parts;
    const seen: { container: ContainerView; testimony: Testimony }[] = [];
    await sideBySide(SIDE_BY_SIDE, listed, async (container) => {
      try {
        seen.push({ container, testimony: await inquiry.ask(container) });
      } catch (error) {
        failures.push(error);
        log.error({ err: error, container_id: container.id }, 'a container could not be asked whose it is');
      }
    });
    return seen;
  }

  /** Returns those that the store refuses. */
  async #adoptEach(claims: Claim[], failures: unknown[]): Promise<AdoptionPlan['leave']> {
    const { store, settings, log, onAction } = this.#parts;
    const refused: AdoptionPlan['leave'] = [];
    await sideBySide(SIDE_BY_SIDE, claims, async (claim) => {
      const container = claim.container.id;
      try {
        const result = await store.adopt(adoptRequest(claim, settings));
        if (result === 'stale') {
          refused.push({ container, reason: 'superseded' });
          return;
        }
        onAction('adopted', 'store-lost');
        log.info({ container_id: container, tenant: claim.ticket.tenant_id }, 'a container was adopted');
      } catch (error) {
        failures.push(error);
        log.error({ err: error, container_id: container }, 'a container could not be adopted');
      }
    });
    return refused;
  }

  async #leave(left: AdoptionPlan['leave']): Promise<void> {
    const { store, log, onAction } = this.#parts;
    await store.reserveUnknown(left.map(({ container }) => container));
    for (const { container, reason } of left) {
      onAction('left', reason);
      log.info({ container_id: container, reason }, 'a container was not adopted');
    }
  }
}
