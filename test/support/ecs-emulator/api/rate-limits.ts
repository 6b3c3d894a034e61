import type { EmulatorClock } from '../emulator-clock.ts';
import { AwsError } from './aws-error.ts';
import { type Rate, TokenBucket } from './token-bucket.ts';

/** `launches` counts tasks, the others calls. */
export type Rates = Readonly<Record<string, Rate>>;

/** The documented quotas of an account in a region. */
export const DOCUMENTED_RATES: Rates = {
  RunTask: { burst: 100, perSecond: 40 },
  StopTask: { burst: 100, perSecond: 40 },
  DescribeTasks: { burst: 100, perSecond: 20 },
  ListTasks: { burst: 100, perSecond: 20 },
  DescribeClusters: { burst: 100, perSecond: 20 },
  DescribeTaskDefinition: { burst: 100, perSecond: 20 },
  ListTaskDefinitionFamilies: { burst: 100, perSecond: 20 },
  ListTaskDefinitions: { burst: 100, perSecond: 20 },
  ListTagsForResource: { burst: 100, perSecond: 20 },
  TagResource: { burst: 20, perSecond: 10 },
  RegisterTaskDefinition: { burst: 20, perSecond: 1 },
  DeregisterTaskDefinition: { burst: 20, perSecond: 1 },
  CreateCluster: { burst: 20, perSecond: 1 },
  DeleteCluster: { burst: 20, perSecond: 1 },
  GetLogEvents: { burst: 25, perSecond: 25 },
  launches: { burst: 100, perSecond: 20 },
};

export class RateLimits {
  readonly #clock: EmulatorClock;
  readonly #buckets: ReadonlyMap<string, TokenBucket>;

  constructor(clock: EmulatorClock, rates: Rates) {
    this.#clock = clock;
    this.#buckets = new Map(Object.entries(rates).map(([name, rate]) => [name, new TokenBucket(rate)]));
  }

  /** Throws `ThrottlingException`. */
  pass(name: string, count = 1): void {
    if (this.#buckets.get(name)?.take(this.#clock.now(), count) === false) throw throttled();
  }
}

export const throttled = (): AwsError => new AwsError('ThrottlingException', 'Rate exceeded');
