import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** The runtime's Prometheus metrics. Label values come from small fixed sets: never an id. */
export class Metrics {
  readonly #registry = new Registry();
  readonly requests = this.#counter('workspace_requests_total', 'Answered requests', ['status']);
  readonly requestSeconds = new Histogram({
    name: 'workspace_request_duration_seconds',
    help: 'Time to answer a request, until its last byte',
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10, 60, 600],
    registers: [this.#registry],
  });
  readonly crashes = this.#counter(
    'workspace_container_crashes_total',
    'Containers that ended while they worked',
    [],
  );
  readonly gcCycles = this.#counter('workspace_gc_cycles_total', 'Looks for expired containers', ['result']);
  readonly startupSeconds = new Histogram({
    name: 'workspace_container_startup_seconds',
    help: 'Time to make a container, until it is ready',
    buckets: [0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60],
    registers: [this.#registry],
  });

  constructor(activeContainers: () => Promise<number>) {
    collectDefaultMetrics({ register: this.#registry });
    new Gauge({
      name: 'workspace_active_containers',
      help: 'Containers that are starting, live or stopping, over all instances',
      registers: [this.#registry],
      async collect() {
        // A store that is away costs this one figure, not the scrape.
        const count = await activeContainers().catch(() => Number.NaN);
        this.set(count);
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }
}
