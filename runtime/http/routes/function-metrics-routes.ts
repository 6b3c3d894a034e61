import { z } from 'zod';
import type { ContainerFigures, PoolFigures, WorkerMetrics } from '../../functions/janitor/worker-metrics.ts';
import { type Route, route } from '../route.ts';
import { sendJson } from '../send-json.ts';

const nothing = z.strictObject({});
const count = z.int().min(0);

const pools = z
  .object({
    pools: z.array(
      z.object({
        tenant: z.string(),
        function_name: z.string(),
        total_workers: count.meta({ description: 'In whatever state: each counts until it is gone' }),
        idle: count,
        paused: count,
        busy: count,
        provisioning: count,
        terminating: count,
        max_capacity: count,
        min_capacity: count,
        acquire_timeout: z.number(),
      }),
    ),
    collected_at: z.iso.datetime(),
  })
  .meta({ id: 'PoolFigures' });

const containers = z
  .object({
    containers: z.array(
      z.object({
        container_id: z.string(),
        tenant: z.string().nullable(),
        function_name: z.string().nullable(),
        container_name: z.string(),
        state: z.string().meta({ description: "The worker's; of one that nobody knows, the engine's word" }),
        memory_current: z.int().nullable(),
        memory_max: z.int().nullable(),
        oom_events: z.int().nullable(),
        cpu_usage_ns: z.int().nullable(),
        exit_code: z.int().nullable(),
        restart_count: z.int().meta({ description: 'Always 0: a worker that ended is replaced by another' }),
        exit_time: z.iso.datetime().nullable(),
        collected_at: z.iso.datetime(),
      }),
    ),
    failures: z
      .array(z.object({ container_id: z.string(), error: z.string() }))
      .meta({ description: 'Those whose figures could not be had' }),
  })
  .meta({ id: 'ContainerFigures' });

/** What operators want to know of workers. */
export function functionMetricsRoutes(workers: WorkerMetrics): Route[] {
  const common = {
    method: 'get',
    tag: 'Operations',
    access: 'admin',
    params: z.object({}),
    query: nothing,
  } as const;
  return [
    route({
      ...common,
      path: '/metrics/pools',
      summary: 'The pools of functions',
      answers: { 200: { description: 'Of every tenant', content: { 'application/json': pools } } },
      errors: ['STORE_UNAVAILABLE'],
      async handle({ response }) {
        const found = await workers.pools();
        sendJson(response, 200, { pools: found.map(shownPool), collected_at: new Date().toISOString() });
      },
    }),
    route({
      ...common,
      path: '/metrics/containers',
      summary: 'What the workers of functions use',
      answers: { 200: { description: 'Of every tenant', content: { 'application/json': containers } } },
      errors: ['STORE_UNAVAILABLE', 'BACKEND_UNAVAILABLE', 'NOT_SUPPORTED'],
      async handle({ response }) {
        const found = await workers.containers();
        const at = new Date().toISOString();
        sendJson(response, 200, {
          containers: found.containers.map((each) => shownContainer(each, at)),
          failures: found.failures.map(({ id, error }) => ({ container_id: id, error })),
        });
      },
    }),
  ];
}

function shownPool({ definition, byState }: PoolFigures): z.output<typeof pools>['pools'][number] {
  const { of, scaling } = definition;
  return {
    tenant: of.tenant,
    function_name: of.name,
    total_workers: Object.values(byState).reduce((sum, each) => sum + each, 0),
    ...byState,
    max_capacity: scaling.maxCapacity,
    min_capacity: scaling.minCapacity,
    acquire_timeout: scaling.acquireTimeoutSeconds,
  };
}

function shownContainer(
  { view, tenant, function: name, state, stats }: ContainerFigures,
  at: string,
): z.output<typeof containers>['containers'][number] {
  return {
    container_id: view.id,
    tenant: tenant ?? null,
    function_name: name ?? null,
    container_name: view.id,
    state: state ?? view.state,
    memory_current: stats?.memoryBytes ?? null,
    memory_max: stats?.memoryLimitBytes ?? null,
    oom_events: stats?.oomEvents ?? (view.exit === undefined ? null : Number(view.exit.oomKilled)),
    cpu_usage_ns: stats?.cpuNanoseconds ?? null,
    exit_code: view.exit?.code ?? null,
    restart_count: 0,
    exit_time: view.exit?.at === undefined ? null : new Date(view.exit.at).toISOString(),
    collected_at: at,
  };
}
