import { Counter, Histogram, type Registry } from 'prom-client';
import { EGRESS_DURATION_BUCKETS, EGRESS_METHODS, type EgressMethod } from '../contracts/egress.ts';

/** Sums over all proxies that this instance looks after; they only grow. */
export interface EgressFigures {
  readonly refused: ReadonlyMap<string, number>;
  readonly passed: ReadonlyMap<string, number>;
  readonly durations: ReadonlyMap<EgressMethod, { count: number; seconds: number; buckets: number[] }>;
  readonly restarts: number;
}

/** Puts what the proxies counted among the metrics; `look` reads it once for a scrape. */
export function registerEgressMetrics(
  registry: Registry,
  figures: EgressFigures,
  look: () => Promise<void>,
): void {
  let looking: Promise<void> | undefined;
  // One look serves all of a scrape. A proxy that is away keeps the figures as they were.
  const fresh = () => {
    looking ??= look()
      .catch(() => {})
      .finally(() => {
        looking = undefined;
      });
    return looking;
  };
  const counter = (name: string, help: string, label: string, values: () => Iterable<[string, number]>) =>
    new Counter({
      name,
      help,
      labelNames: [label],
      registers: [registry],
      async collect() {
        await fresh();
        this.reset();
        for (const [value, count] of values()) this.inc({ [label]: value }, count);
      },
    });
  counter(
    'workspace_proxy_blocked_total',
    'Requests that egress proxies refused',
    'reason',
    () => figures.refused,
  );
  counter(
    'workspace_proxy_passed_total',
    'Requests that egress proxies let through',
    'outcome',
    () => figures.passed,
  );
  new Counter({
    name: 'workspace_proxy_restarts_total',
    help: 'Starts of an egress proxy in place of one that had ended',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(figures.restarts);
    },
  });
  registry.registerMetric(new ProxyDurations(figures, fresh));
}

const NAME = 'workspace_proxy_request_duration_seconds';
const HELP = 'Time from a request to an egress proxy to the end of its answer; tunnels are not among them';

/** A histogram whose observations were made elsewhere. */
class ProxyDurations extends Histogram<'method'> {
  readonly #figures: EgressFigures;
  readonly #fresh: () => Promise<void>;

  constructor(figures: EgressFigures, fresh: () => Promise<void>) {
    super({
      name: NAME,
      help: HELP,
      labelNames: ['method'],
      buckets: [...EGRESS_DURATION_BUCKETS],
      registers: [],
    });
    this.#figures = figures;
    this.#fresh = fresh;
  }

  /** What the registry, and `get`, ask for the values. */
  async getForPromString() {
    await this.#fresh();
    return {
      name: NAME,
      help: HELP,
      type: 'histogram',
      values: EGRESS_METHODS.flatMap((method) => this.#valuesOf(method)),
      aggregator: 'sum',
    };
  }

  #valuesOf(method: EgressMethod) {
    const spent = this.#figures.durations.get(method);
    if (spent === undefined) return [];
    let below = 0;
    const buckets = EGRESS_DURATION_BUCKETS.map((le, at) => {
      below += spent.buckets[at] ?? 0;
      return { value: below, labels: { le, method }, metricName: `${NAME}_bucket` };
    });
    return [
      ...buckets,
      { value: spent.count, labels: { le: '+Inf', method }, metricName: `${NAME}_bucket` },
      { value: spent.seconds, labels: { method }, metricName: `${NAME}_sum` },
      { value: spent.count, labels: { method }, metricName: `${NAME}_count` },
    ];
  }
}
