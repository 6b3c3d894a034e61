import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { type EgressFigures, registerEgressMetrics } from './egress-metrics.ts';

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
  readonly acquireSeconds = new Histogram({
    name: 'workspace_acquire_seconds',
    help: 'Time until a conversation has its container, with work begun on it, by where that came from',
    labelNames: ['source'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.#registry],
  });
  readonly syncErrors = this.#counter(
    'workspace_s3_sync_errors_total',
    'Files that could not be restored (in) or saved (out)',
    ['direction'],
  );
  readonly unsaved = this.#counter(
    'workspace_unsaved_total',
    'Containers that ended without their last changes being saved',
    [],
  );
  readonly executions = this.#counter('workspace_executions_total', 'Executions that ended here', ['status']);
  readonly warmPoolAcquireSeconds = new Histogram({
    name: 'workspace_warm_pool_acquire_seconds',
    help: 'Time from a claim of a warm container until it is ready for its conversation',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [this.#registry],
  });
  readonly warmPoolExhausted = this.#counter(
    'workspace_warm_pool_exhausted_total',
    'Conversations that found the warm pool empty',
    [],
  );
  readonly warmPoolCreations = this.#counter(
    'workspace_warm_pool_creations_total',
    'Containers made for the warm pool',
    ['result'],
  );
  readonly warmPoolRemovals = this.#counter(
    'workspace_warm_pool_removals_total',
    'Containers taken out of the warm pool unused',
    ['reason'],
  );
  readonly sweepActions = this.#counter(
    'workspace_sweep_actions_total',
    'What adoption and the sweep did to containers, and why',
    ['action', 'reason'],
  );
  readonly sweepBreakerOpen = new Gauge({
    name: 'workspace_sweep_breaker_open',
    help: '1 while too many containers with valid tickets have no owner: an operator should look',
    registers: [this.#registry],
  });
  readonly unhealthyContainers = this.#counter(
    'workspace_unhealthy_containers_total',
    'Containers that were found unhealthy',
    ['reason'],
  );
  readonly proxiedRequests = this.#counter(
    'workspace_proxied_requests_total',
    "Requests to workspaces, by the kind of their answer, which is mostly the program's own",
    ['status'],
  );
  readonly proxiedConnections = new Gauge({
    name: 'workspace_proxied_connections',
    help: 'Requests and WebSockets that this instance passes to workspaces right now',
    labelNames: ['kind'],
    registers: [this.#registry],
  });

  readonly workspaceOperations = this.#counter(
    'workspace_operations_total',
    'Operations on workspaces that ended here',
    ['operation', 'outcome'],
  );
  readonly workspaceOperationSeconds = new Histogram({
    name: 'workspace_operation_seconds',
    help: 'Time that operations on workspaces took',
    labelNames: ['operation'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60, 300, 1800],
    registers: [this.#registry],
  });

  readonly invocations = this.#counter(
    'workspace_function_invocations_total',
    'Calls of functions, by how they ended',
    ['outcome'],
  );
  readonly coldStarts = this.#counter(
    'workspace_function_cold_starts_total',
    'Calls that were the first of their worker',
    [],
  );
  readonly queueSeconds = new Histogram({
    name: 'workspace_function_queue_seconds',
    help: 'Time that a call of a function waited for its worker',
    buckets: [0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers: [this.#registry],
  });
  readonly workerCreations = new Histogram({
    name: 'workspace_function_worker_startup_seconds',
    help: 'Time to make a worker, until its program answers',
    labelNames: ['outcome'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
    registers: [this.#registry],
  });
  readonly workerActions = this.#counter(
    'workspace_function_worker_actions_total',
    'What the janitor did about workers, and why',
    ['action', 'reason'],
  );

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

  /** The pool's gauges; one look serves the three of them. */
  watchWarmPool(look: () => Promise<{ size: number; target: number; starting: number }>): void {
    const away = { size: Number.NaN, target: Number.NaN, starting: Number.NaN };
    let looking: Promise<typeof away> | undefined;
    const figures = () => {
      looking ??= look()
        .catch(() => away)
        .finally(() => {
          looking = undefined;
        });
      return looking;
    };
    const gauge = (figure: keyof typeof away, help: string) =>
      new Gauge({
        name: `workspace_warm_pool_${figure}`,
        help,
        registers: [this.#registry],
        async collect() {
          this.set((await figures())[figure]);
        },
      });
    gauge('size', 'Containers that are ready in the warm pool, over all instances');
    gauge('target', 'How many there should be, as this instance sees the demand');
    gauge('starting', 'Containers being made for the warm pool, over all instances');
  }

  /** What the egress proxies count; `look` reads it for a scrape. */
  watchEgress(figures: EgressFigures, look: () => Promise<void>): void {
    registerEgressMetrics(this.#registry, figures, look);
  }

  /** Workers of functions by state, over all instances. */
  watchWorkers(look: () => Promise<Record<string, number>>): void {
    new Gauge({
      name: 'workspace_function_workers',
      help: 'Workers of functions by state, over all instances',
      labelNames: ['state'],
      registers: [this.#registry],
      async collect() {
        this.reset();
        const counts = await look().catch(() => ({})); // a store that is away costs this figure only
        for (const [state, count] of Object.entries(counts)) this.set({ state }, count);
      },
    });
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  /** What there is to be read, without its values. */
  describe(): { name: string; help: string; type: string; labels: readonly string[] }[] {
    return this.#registry.getMetricsAsArray().map((metric) => {
      // A metric keeps the names of its labels, of which prom-client's types don't tell.
      const { labelNames = [] } = metric as { labelNames?: readonly string[] };
      return { name: metric.name, help: metric.help, type: String(metric.type), labels: labelNames };
    });
  }

  #counter<Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> {
    return new Counter({ name, help, labelNames, registers: [this.#registry] });
  }
}
