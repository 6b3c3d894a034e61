import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { Checkpoint } from '../../lifecycle/checkpoint.ts';
import { INSTANCE_SILENT_SECONDS, type WorkerStore } from '../../state/worker-store.ts';
import type { Leadership } from '../../sweep/leadership.ts';
import type { RoleSweep } from '../../sweep/role-sweep.ts';
import { sideBySide } from '../../sweep/side-by-side.ts';
import type { WorkerConnections } from '../calls/worker-connections.ts';
import type { FunctionDefinition } from '../definitions/function-definition.ts';
import type { HeldWorkers } from '../pool/held-workers.ts';
import type { PoolManager } from '../pool/pool-manager.ts';
import type { WorkerCreation } from '../pool/worker-creation.ts';
import { ENDING_SECONDS, type WorkerEnding } from '../pool/worker-ending.ts';
import { planWorkers, type WorkerAction, type WorkerPlanSettings } from './plan-workers.ts';

const SIDE_BY_SIDE = 8;
const SILENT_MS = INSTANCE_SILENT_SECONDS * 1000;
/** A pause takes less, and a worker that is being paused is of no use to anybody. */
const PAUSING_SECONDS = 30;

interface Parts {
  store: WorkerStore;
  definitions: () => Promise<FunctionDefinition[]>;
  pools: PoolManager;
  connections: WorkerConnections;
  held: HeldWorkers;
  creation: WorkerCreation;
  ending: WorkerEnding;
  sweep: RoleSweep;
  /** One instance looks after the workers of all. */
  leadership: Leadership;
  instance: string;
  settings: WorkerPlanSettings;
  checkpoint: Checkpoint;
  log: Logger;
  onAction: (action: WorkerAction['kind'] | 'take_over', reason: string) => void;
}

/** Looks after workers that nobody uses, and those whose user is dead. */
export class HeartbeatJanitor {
  readonly #parts: Parts;
  /** By `performance.now()`. Before that, others may be silent because the store was away, or they were frozen as this was. */
  #believesSilenceFrom = 0;
  #lastTry = performance.now();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** This instance lives. Without that for 15 s, what it holds is ended by another. */
  async beat(): Promise<void> {
    try {
      await this.#forgetAfterFreeze();
      await this.#tellHeld();
    } catch (error) {
      this.#believesSilenceFrom = performance.now() + SILENT_MS;
      throw error;
    }
  }

  /** An instance that did not even try for so long is dead to the others: what they have ended must not come back. */
  async #forgetAfterFreeze(): Promise<void> {
    const { store, held } = this.#parts;
    if (this.#wasFrozen) {
      this.#believesSilenceFrom = performance.now() + SILENT_MS;
      const mine = held.all();
      const known = await store.known(mine.map(({ worker }) => worker));
      for (const { worker, lease } of mine) if (!known.has(worker)) held.drop(worker, lease);
    }
    this.#lastTry = performance.now();
  }

  get #wasFrozen(): boolean {
    return performance.now() - this.#lastTry >= SILENT_MS;
  }

  async #tellHeld(): Promise<void> {
    const { store, held, instance, log } = this.#parts;
    const told = held.toBeat(performance.now());
    const { lost } = await store.beat(instance, told);
    for (const { worker, lease } of told.filter((each) => lost.includes(each.worker))) {
      // What was given back meanwhile is not held any more, or under another lease.
      if (!held.drop(worker, lease)) continue;
      log.warn({ container_id: worker }, 'a worker was taken from this instance; its call will break off');
    }
  }

  /** Answers in how many seconds it wants its next turn, where that is sooner than usual. */
  async runOnce(): Promise<number | undefined> {
    const { pools, connections, sweep, leadership } = this.#parts;
    pools.tidy();
    connections.tidy(performance.now());
    if (!(await leadership.held())) return undefined;
    if (!this.#wasFrozen && performance.now() >= this.#believesSilenceFrom) await this.#takeOver();
    const { nextLookIn } = await sweep.look(performance.now(), false);
    await this.#act(await this.#plan());
    return nextLookIn;
  }

  async #takeOver(): Promise<void> {
    const { store, held, ending, instance, log, onAction } = this.#parts;
    const lease = randomUUID();
    const taken = await store.takeOver({ instance, lease, seconds: ENDING_SECONDS }, held.leases());
    await sideBySide(SIDE_BY_SIDE, taken, async (worker) => {
      log.warn({ container_id: worker }, 'a worker whose call nobody has any more is ended');
      onAction('take_over', 'lapsed');
      await ending.end(worker);
    });
  }

  async #plan(): Promise<WorkerAction[]> {
    const { store, definitions, settings } = this.#parts;
    const known = await definitions();
    const { workers, now } = await store.look();
    return planWorkers(known, workers, now, settings);
  }

  async #act(actions: WorkerAction[]): Promise<void> {
    const { log, onAction } = this.#parts;
    await sideBySide(SIDE_BY_SIDE, actions, async (action) => {
      try {
        await this.#do(action);
        onAction(action.kind, action.reason);
      } catch (error) {
        log.warn({ err: error, action: action.kind, reason: action.reason }, 'a worker could not be seen to');
      }
    });
  }

  async #do(action: WorkerAction): Promise<void> {
    const { store, pools, ending, instance } = this.#parts;
    if (action.kind === 'prewarm')
      return pools.of(action.definition.of).prewarm(action.definition, action.count);
    const { worker, since } = action;
    if (action.kind === 'pause') return this.#pause(action);
    const holder = { instance, lease: randomUUID(), seconds: ENDING_SECONDS };
    if ((await store.retire(worker, since, action.keep, holder)) === 'done') await ending.end(worker);
  }

  /** It is this instance's alone while it is paused: nobody gets it half way. */
  async #pause({ worker, since }: Extract<WorkerAction, { kind: 'pause' }>): Promise<void> {
    const { store, held, creation, ending, instance, checkpoint } = this.#parts;
    const lease = randomUUID();
    await held.asking(lease, async () => {
      if ((await store.take(worker, since, { instance, lease, seconds: PAUSING_SECONDS })) !== 'done') return;
      try {
        await checkpoint('worker.taken');
        await creation.pause(worker);
        await checkpoint('worker.paused');
        await store.park(worker, lease);
      } catch (error) {
        if ((await store.evict(worker, lease)) === 'done') await ending.end(worker);
        throw error;
      }
    });
  }
}
