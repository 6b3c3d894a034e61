import type { ContainerId } from '../../contracts/ids.ts';
import type { FunctionDefinition } from '../definitions/function-definition.ts';

/** So long a worker goes from call to call of this instance under one lease; then all may have it again. */
const TOGETHER_MS = 200;
/** So long it waits here for the next call while others are under way. */
const LINGER_MS = 2;

export interface Lease {
  worker: ContainerId;
  lease: string;
}

/** A worker that nobody else has until it is released or evicted, once. */
export interface LeasedWorker extends Lease {
  /** Nobody has called it before. */
  coldStart: boolean;
  /** Counts the calls under this lease, so that each gives it back once. */
  turn: number;
  /** By `performance.now()`: when the store gave it, and what for. */
  since: number;
  terms: Pick<FunctionDefinition, 'revision' | 'timeoutSeconds'>;
}

interface Lingering {
  leased: LeasedWorker;
  /** The next call has it. */
  goOn(): void;
  letGo(): void;
}

/**
 * The leases of one function at this instance. Under load most calls follow another at once, and a worker goes from one
 * to the next without the store, to which it is busy all the while: to give it back and have it again takes two calls
 * of the store, which cost more than the call itself.
 */
export class LocalLeases {
  /** Those that a call has, with whose turn it is. */
  readonly #inUse = new Map<string, number>();
  readonly #lingering: Lingering[] = [];

  get inUse(): number {
    return this.#inUse.size;
  }

  begin(leased: LeasedWorker): LeasedWorker {
    this.#inUse.set(leased.lease, leased.turn);
    return leased;
  }

  /** False: its call has given it back before. */
  end({ lease, turn }: LeasedWorker): boolean {
    return this.#inUse.get(lease) === turn && this.#inUse.delete(lease);
  }

  /** Resolves when another call has it, or it was let go. */
  linger(leased: LeasedWorker, letGo: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const leave = (how: void | Promise<void>) => {
      clearTimeout(timer);
      this.#lingering.splice(this.#lingering.indexOf(lingering), 1);
      resolve(how);
    };
    const lingering = { leased, goOn: () => leave(), letGo: () => leave(letGo()) };
    const timer = setTimeout(lingering.letGo, LINGER_MS);
    this.#lingering.push(lingering);
    return promise;
  }

  /** The one that was released last. */
  take(definition: FunctionDefinition): LeasedWorker | undefined {
    const last = this.#lingering.at(-1);
    if (last === undefined || !mayGoOn(last.leased, definition)) return undefined;
    last.goOn();
    return this.begin(last.leased);
  }

  letAllGo(): void {
    for (const { letGo } of [...this.#lingering]) letGo();
  }
}

/** For the next call under the same lease; undefined: its time is over, or it was given for something else. */
export function nextTurn(leased: LeasedWorker, definition: FunctionDefinition): LeasedWorker | undefined {
  const next = { ...leased, coldStart: false, turn: leased.turn + 1 };
  return mayGoOn(next, definition) ? next : undefined;
}

function mayGoOn({ since, terms }: LeasedWorker, { revision, timeoutSeconds }: FunctionDefinition): boolean {
  const isSame = terms.revision === revision && terms.timeoutSeconds === timeoutSeconds;
  return isSame && performance.now() - since < TOGETHER_MS;
}
