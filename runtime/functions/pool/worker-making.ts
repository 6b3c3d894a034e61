import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { BerthError } from '../../contracts/errors.ts';
import type { FunctionKey } from '../../contracts/function-key.ts';
import { type ContainerId, newWorkerId } from '../../contracts/ids.ts';
import type { Checkpoint } from '../../lifecycle/checkpoint.ts';
import type { WorkerOf, WorkerStore } from '../../state/worker-store.ts';
import type { FunctionDefinition } from '../definitions/function-definition.ts';
import type { HeldWorkers } from './held-workers.ts';
import type { WorkerCreation } from './worker-creation.ts';

/** With the time that an image takes to be had. */
const PROVISIONING_SECONDS = 330;

export interface MakingParts {
  of: FunctionKey;
  store: WorkerStore;
  creation: WorkerCreation;
  held: HeldWorkers;
  instance: string;
  /** Over all functions and instances. */
  totalWorkers: number;
  checkpoint: Checkpoint;
  log: Logger;
  onProvisioned: (seconds: number, outcome: 'ready' | 'failed') => void;
}

interface Events {
  evict(made: { worker: ContainerId; lease: string }): Promise<void>;
  /** One that the store does not know: it is ended, unless it does. */
  endUnknown(worker: WorkerOf): Promise<unknown>;
  onFailed(worker: ContainerId, error: unknown): void;
  /** Whatever became of it. */
  onOver(): void;
}

interface Making {
  revision: string;
  giveUp: AbortController;
}

/** The workers of one function that this instance is making. */
export class WorkerMaking {
  readonly #parts: MakingParts;
  readonly #events: Events;
  readonly #making = new Map<ContainerId, Making>();
  readonly #underWay = new Set<Promise<void>>();
  #closing: BerthError | undefined;

  constructor(parts: MakingParts, events: Events) {
    this.#parts = parts;
    this.#events = events;
  }

  get isQuiet(): boolean {
    return this.#making.size === 0 && this.#underWay.size === 0;
  }

  count(revision: string): number {
    return [...this.#making.values()].filter((each) => each.revision === revision).length;
  }

  /** What nobody would call is not waited for; without a revision, that is all. */
  giveUpOthers(revision: string | undefined): void {
    for (const each of this.#making.values())
      if (each.revision !== revision)
        each.giveUp.abort(new BerthError('FUNCTION_NOT_FOUND', 'the function has changed meanwhile'));
  }

  async close(reason: BerthError): Promise<void> {
    this.#closing = reason;
    for (const { giveUp } of this.#making.values()) giveUp.abort(reason);
    await Promise.all(this.#underWay);
  }

  /** Resolves once its place is reserved; it is made beside. */
  async begin(definition: FunctionDefinition): Promise<'reserved' | 'full' | 'no-room'> {
    const { of, store, held, instance, totalWorkers } = this.#parts;
    const { revision, scaling } = definition;
    if (this.#closing !== undefined) return 'full';
    const worker = newWorkerId(of.name, randomUUID());
    const lease = randomUUID();
    const holder = { instance, lease, seconds: PROVISIONING_SECONDS };
    const giveUp = new AbortController();
    this.#making.set(worker, { revision, giveUp });
    let begun = false;
    try {
      const place = await held.asking(lease, async () => {
        const request = { worker, of, revision, holder, max: scaling.maxCapacity, total: totalWorkers };
        const answer = await store.reserve(request);
        const until = performance.now() + PROVISIONING_SECONDS * 1000;
        if (answer === 'reserved') held.hold({ worker, of, revision, lease, state: 'provisioning', until });
        return answer;
      });
      if (place !== 'reserved') return place;
      begun = true;
    } finally {
      if (!begun) this.#making.delete(worker);
    }
    const work = this.#make(definition, { worker, lease }, giveUp.signal);
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
    return 'reserved';
  }

  async #make(
    definition: FunctionDefinition,
    made: { worker: ContainerId; lease: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { store, creation, held, checkpoint, log, onProvisioned } = this.#parts;
    const { worker, lease } = made;
    const began = performance.now();
    try {
      if (this.#closing !== undefined) throw this.#closing;
      await checkpoint('worker.reserved');
      await creation.create(worker, definition, signal);
      await checkpoint('worker.created');
      signal.throwIfAborted();
      const outcome = await store.ready(worker, lease);
      held.drop(worker, lease);
      if (outcome === 'stale') await this.#takeIn(definition, worker);
      onProvisioned((performance.now() - began) / 1000, 'ready');
    } catch (error) {
      if (!signal.aborted && this.#closing === undefined) {
        log.warn({ err: error, container_id: worker }, 'a worker could not be made');
        onProvisioned((performance.now() - began) / 1000, 'failed');
        this.#events.onFailed(worker, error);
      }
      await this.#events.evict(made);
    } finally {
      this.#making.delete(worker);
      this.#events.onOver();
    }
  }

  /** Another has taken it over, to end it, or has done so before it was made; or the store has lost everything. */
  async #takeIn({ of, revision, scaling }: FunctionDefinition, worker: ContainerId): Promise<void> {
    const made = { worker, of, revision };
    if ((await this.#parts.store.adopt(made, scaling.maxCapacity)) === 'done') return;
    await this.#events.endUnknown(made);
  }
}
