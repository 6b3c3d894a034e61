import { setTimeout as sleep } from 'node:timers/promises';
import { asBerthError, troubleOf } from './aws-failure.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 20_000;

export interface Patience {
  /** How long a call that AWS can't take now is tried again. */
  seconds: number;
  signal?: AbortSignal;
}

export const CALL: Patience = { seconds: 20 };
export const ONCE: Patience = { seconds: 0 };

/** What every client of the SDK is made with: how often a call is tried is said here, and nowhere else. */
export const CLIENT = { maxAttempts: 1, requestHandler: { connectionTimeout: 3000, requestTimeout: 20_000 } };

/** The calls of a service, each at its rate, and again with growing pauses while AWS says "later". */
export class PatientCalls<Operation extends string> {
  readonly #service: 'ECS' | 'EFS';
  readonly buckets: Readonly<Record<Operation, TokenBucket>>;

  /** `rates`: of all instances together, each of which has its part. */
  constructor(service: 'ECS' | 'EFS', rates: Readonly<Record<Operation, Rate>>, instances: number) {
    this.#service = service;
    const entries = Object.entries<Rate>(rates);
    this.buckets = Object.fromEntries(
      entries.map(([operation, rate]) => [operation, new TokenBucket(part(rate, instances))]),
    ) as Record<Operation, TokenBucket>; // the cast: made from the table's own keys
  }

  /** Throws in our words; the error of the SDK is the cause. */
  async call<T>(
    operation: Operation,
    { seconds, signal }: Patience,
    send: () => Promise<T>,
    bucket: TokenBucket = this.buckets[operation],
  ): Promise<T> {
    const until = performance.now() + seconds * 1000;
    for (let attempt = 0; ; attempt += 1) {
      await bucket.pass(signal);
      try {
        return await send();
      } catch (error) {
        const trouble = troubleOf(error);
        const waitMs = Math.random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt + 1));
        const again = trouble === 'throttled' || trouble === 'unavailable';
        if (!again || performance.now() + waitMs > until) throw asBerthError(this.#service, operation, error);
        await sleep(waitMs, undefined, signal === undefined ? {} : { signal });
      }
    }
  }
}

function part({ burst, perSecond }: Rate, instances: number): Rate {
  return { burst: Math.max(1, burst / instances), perSecond: perSecond / instances };
}
