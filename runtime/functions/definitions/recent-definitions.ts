import { isBerthError } from '../../contracts/errors.ts';
import type { FunctionKey } from '../../contracts/function-key.ts';
import type { FunctionDefinition } from './function-definition.ts';

const FRESH_MS = 1_000;
/** Past that, nothing is better than what was. */
const KEPT_MS = 60_000;
/** How long a read may take before what is known is used instead. */
const PATIENCE_MS = 500;
const MOST = 2_000;

interface Known {
  definition: FunctionDefinition | undefined;
  /** When the read began that found it. */
  at: number;
  /** Until then nobody asks again. */
  askAt: number;
}

type Reading = Promise<FunctionDefinition | undefined>;

/**
 * Definitions as they were within the last second, each read once, however many ask. While nothing can be read, as they
 * were within the last minute: calls go on without the database.
 */
export class RecentDefinitions {
  readonly #read: (of: FunctionKey) => Reading;
  readonly #now: () => number;
  /** The oldest first. */
  readonly #known = new Map<string, Known>();
  /** Apart, so that asking for what there is not pushes out nothing that there is. */
  readonly #absent = new Map<string, Known>();
  readonly #reading = new Map<string, Reading>();

  constructor(read: (of: FunctionKey) => Reading, now: () => number = () => performance.now()) {
    this.#read = read;
    this.#now = now;
  }

  async find(of: FunctionKey): Reading {
    const key = keyOf(of);
    const known = this.#known.get(key) ?? this.#absent.get(key);
    if (known !== undefined && this.#now() < known.askAt) return known.definition;
    const reading = this.#reading.get(key) ?? this.#begin(of, key);
    return known?.definition === undefined || this.#isOld(known) ? reading : this.#either(of, known, reading);
  }

  /** It was changed: what was known of it, and what is being read, is of before. */
  forget(of: FunctionKey): void {
    const key = keyOf(of);
    this.#known.delete(key);
    this.#absent.delete(key);
    this.#reading.delete(key);
  }

  #begin(of: FunctionKey, key: string): Reading {
    const at = this.#now();
    const isCurrent = () => this.#reading.get(key) === reading;
    const reading = this.#read(of)
      .then((definition) => {
        if (isCurrent()) this.#keep(key, { definition, at, askAt: at + FRESH_MS });
        return definition;
      })
      .finally(() => {
        if (isCurrent()) this.#reading.delete(key);
      });
    this.#reading.set(key, reading);
    return reading;
  }

  /** What is read, or what is known where that fails or takes its time. */
  async #either(of: FunctionKey, known: Known, reading: Reading): Reading {
    const slow = Promise.withResolvers<'slow'>();
    const timer = setTimeout(() => slow.resolve('slow'), PATIENCE_MS);
    try {
      const first = await Promise.race([reading, slow.promise]);
      if (first !== 'slow') return first;
    } catch (error) {
      if (!isBerthError(error, 'STORE_UNAVAILABLE')) throw error;
    } finally {
      clearTimeout(timer);
    }
    // Changed meanwhile, or too old by now.
    if (this.#known.get(keyOf(of)) !== known || this.#isOld(known)) return this.find(of);
    known.askAt = Math.min(this.#now() + FRESH_MS, known.at + KEPT_MS);
    return known.definition;
  }

  #keep(key: string, known: Known): void {
    const [into, other] =
      known.definition === undefined ? [this.#absent, this.#known] : [this.#known, this.#absent];
    other.delete(key);
    into.delete(key);
    into.set(key, known);
    for (const [oldest, each] of into) {
      if (into.size <= MOST && !this.#isOld(each)) break;
      into.delete(oldest);
    }
  }

  #isOld({ at }: Known): boolean {
    return this.#now() - at >= KEPT_MS;
  }
}

function keyOf({ tenant, name }: FunctionKey): string {
  return `${tenant}/${name}`;
}
