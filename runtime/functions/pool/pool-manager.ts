import { type FunctionKey, nameOf } from '../../contracts/function-key.ts';
import type { FunctionDefinition } from '../definitions/function-definition.ts';
import { Breaker } from './breaker.ts';
import { ContainerPool, type PoolParts } from './container-pool.ts';

interface Known {
  pool: ContainerPool;
  breaker: Breaker;
}

/** The pools of all functions, as this instance uses them. Each comes to be when it is first needed. */
export class PoolManager {
  readonly #parts: Omit<PoolParts, 'of' | 'isBroken'>;
  readonly #known = new Map<string, Known>();
  readonly #stopListening: () => void;

  constructor(parts: Omit<PoolParts, 'of' | 'isBroken'>) {
    this.#parts = parts;
    this.#stopListening = parts.store.onFree((of) => {
      if (of !== undefined) this.#known.get(nameOf(of))?.pool.wake();
      else for (const { pool } of this.#known.values()) pool.wake();
    });
  }

  of(of: FunctionKey): ContainerPool {
    return this.#find(of).pool;
  }

  breakerOf(of: FunctionKey): Breaker {
    return this.#find(of).breaker;
  }

  /** A function was defined anew, or deleted: its workers are those of another revision from now on. */
  changed(of: FunctionKey, definition: FunctionDefinition | undefined): void {
    const known = this.#known.get(nameOf(of));
    known?.pool.use(definition);
    // What failed was another image, or another environment.
    if (known !== undefined) known.breaker = new Breaker();
  }

  /** How a function fares at this instance. */
  standing(of: FunctionKey): { waiting: number; isBroken: boolean } {
    const known = this.#known.get(nameOf(of));
    return {
      waiting: known?.pool.waiting ?? 0,
      isBroken: known?.breaker.isOpen(performance.now()) ?? false,
    };
  }

  /** Calls that wait here, by function. */
  waiting(): number {
    return [...this.#known.values()].reduce((sum, { pool }) => sum + pool.waiting, 0);
  }

  /** Forgets pools that nobody has used since: what there is of their workers is in the store. */
  tidy(): void {
    const now = performance.now();
    const used = new Set(this.#parts.held.all().map(({ of }) => nameOf(of)));
    for (const [name, { pool, breaker }] of this.#known) {
      if (pool.isQuiet && breaker.isQuiet(now) && !used.has(name)) this.#known.delete(name);
    }
  }

  async close(): Promise<void> {
    this.#stopListening();
    await Promise.all([...this.#known.values()].map(({ pool }) => pool.close()));
  }

  #find(of: FunctionKey): Known {
    const name = nameOf(of);
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const breaker = new Breaker();
    const isOpen = (now: number) => (this.#known.get(name)?.breaker ?? breaker).isOpen(now);
    const made = { pool: new ContainerPool({ ...this.#parts, of, isBroken: isOpen }), breaker };
    this.#known.set(name, made);
    return made;
  }
}
