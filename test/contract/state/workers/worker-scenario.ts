import type { FunctionKey } from '../../../../runtime/contracts/function-key.ts';
import type { ContainerId } from '../../../../runtime/contracts/ids.ts';
import type {
  Acquired,
  HeldWorker,
  Holder,
  WorkerOf,
  WorkerState,
  WorkerStore,
} from '../../../../runtime/state/worker-store.ts';
import { functionName, tenant, worker } from '../names.ts';

export const SECONDS = 60;

interface Words {
  tenant?: string;
  of?: string;
  revision?: string;
  instance?: string;
  lease?: string;
  seconds?: number;
  max?: number;
  total?: number;
}

/** Calls the workers' store with defaults: workers of the function `f`, of instance `i1`. */
export class WorkerScenario {
  readonly store: WorkerStore;

  constructor(store: WorkerStore) {
    this.store = store;
  }

  of(words: Words = {}): FunctionKey {
    return { tenant: tenant(words.tenant ?? 'acme'), name: functionName(words.of ?? 'f') };
  }

  worker(n: number, words: Words = {}): WorkerOf {
    return { worker: worker(n, words.of), of: this.of(words), revision: words.revision ?? 'r1' };
  }

  holder({ instance = 'i1', lease = 'l', seconds = SECONDS }: Words = {}): Holder {
    return { instance, lease, seconds };
  }

  reserve(n: number, words: Words = {}) {
    return this.store.reserve({
      ...this.worker(n, words),
      holder: this.holder({ lease: `make-${n}`, ...words }),
      max: words.max ?? 10,
      total: words.total ?? 100,
    });
  }

  ready(n: number, words: Words = {}) {
    return this.store.ready(worker(n, words.of), words.lease ?? `make-${n}`);
  }

  /** These become idle, in this order. */
  async idle(numbers: number[], words: Words = {}): Promise<void> {
    for (const n of numbers) {
      await this.reserve(n, words);
      await this.ready(n, words);
    }
  }

  acquire(words: Words = {}): Promise<Acquired> {
    return this.store.acquire({
      of: this.of(words),
      revision: words.revision ?? 'r1',
      holder: this.holder(words),
    });
  }

  /** The worker that it leases, or undefined. */
  async leased(words: Words = {}): Promise<ContainerId | undefined> {
    const acquired = await this.acquire(words);
    return acquired.kind === 'leased' ? acquired.worker : undefined;
  }

  release(n: number, words: Words = {}) {
    return this.store.release(worker(n, words.of), words.lease ?? 'l', words.revision ?? 'r1');
  }

  /** Taken, and paused. */
  async park(n: number): Promise<void> {
    await this.store.take(worker(n), await this.since(n), this.holder({ lease: 'parking' }));
    await this.store.park(worker(n), 'parking');
  }

  async retire(n: number, words: Words & { keep?: number; since?: number } = {}) {
    const since = words.since ?? (await this.since(n));
    return this.store.retire(worker(n), since, words.keep ?? 0, this.holder(words));
  }

  held(n: number, state: HeldWorker['state'], words: Words = {}): HeldWorker {
    const { lease, seconds } = this.holder(words);
    return { ...this.worker(n, words), state, lease, seconds };
  }

  async since(n: number): Promise<number> {
    return (await this.view(n))?.since ?? 0;
  }

  async view(n: number, of?: string) {
    return (await this.store.look()).workers.find((one) => one.worker === worker(n, of));
  }

  async state(n: number, of?: string): Promise<WorkerState | undefined> {
    return (await this.view(n, of))?.state;
  }
}
