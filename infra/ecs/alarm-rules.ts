import { type Metric, metricsOf, type Watched } from './watched.ts';

const GiB = 2 ** 30;

/** When someone is woken. */
export interface AlarmRule {
  /** Of the alarm, after the platform's; and the heading of its entry in docs/guides/operations.md. */
  name: string;
  /** What is wrong, in a sentence. */
  means: string;
  metrics: Record<string, Metric>;
  /** What is looked at of them, where there are several. */
  expression?: string;
  is: 'above' | 'below';
  threshold: number;
  /** So many in a row. */
  periods: number;
  minutes: number;
  /** What it means that nothing is told: `breaching`, that it is wrong. */
  silence?: 'breaching';
}

/** All alarms of a platform. What mends itself, or can wait until the morning, is only on the dashboard. */
export function alarmRules(watched: Watched): AlarmRule[] {
  return [...ofApi(watched), ...ofStores(watched), ...ofNetwork(watched), ...ofLog(watched)];
}

function ofApi(watched: Watched): AlarmRule[] {
  const { targets, balancer, cluster, service, tasksOf } = metricsOf(watched);
  const missing = (name: string, what: string, of: Watched['runtime']): AlarmRule => ({
    name,
    means: `ECS can't start as many tasks of ${what} as there should be.`,
    metrics: {
      wanted: tasksOf(of)('DesiredTaskCount', 'Average'),
      running: tasksOf(of)('RunningTaskCount', 'Average'),
    },
    expression: 'wanted - running',
    is: 'above',
    threshold: 0,
    periods: 3,
    minutes: 5,
  });
  return [
    {
      name: 'api-unavailable',
      means: 'No instance of the runtime answers: nobody is served.',
      metrics: { ready: targets('HealthyHostCount', 'Maximum') },
      is: 'below',
      threshold: 1,
      periods: 3,
      minutes: 1,
      silence: 'breaching',
    },
    {
      name: 'api-errors',
      means: 'More than 5 % of the answers are errors of ours.',
      metrics: {
        requests: targets('RequestCount', 'Sum'),
        ours: targets('HTTPCode_Target_5XX_Count', 'Sum'),
        balancers: balancer('HTTPCode_ELB_5XX_Count', 'Sum'),
      },
      // Of a handful one is no share.
      expression:
        'IF(FILL(requests, 0) + FILL(balancers, 0) > 50, 100 * (FILL(ours, 0) + FILL(balancers, 0)) / (FILL(requests, 0) + FILL(balancers, 0)), 0)',
      is: 'above',
      threshold: 5,
      periods: 2,
      minutes: 5,
    },
    missing('runtime-tasks', 'the runtime', watched.runtime),
    ...(watched.proxy ? [missing('proxy-tasks', 'the egress proxy', watched.proxy)] : []),
    {
      name: 'runtime-cpu',
      means: 'All instances of the runtime are busy, and there are as many as there may be.',
      metrics: { cpu: service(watched.runtime)('CPUUtilization', 'Average') },
      is: 'above',
      threshold: 90,
      periods: 4,
      minutes: 5,
    },
    {
      name: 'capacity',
      means: 'Nine tenths of the containers that there may be are there: soon conversations are refused.',
      metrics: { tasks: cluster('TaskCount', 'Maximum') },
      is: 'above',
      threshold: Math.floor(watched.mostTasks * 0.9),
      periods: 2,
      minutes: 5,
    },
  ];
}

function ofStores(watched: Watched): AlarmRule[] {
  const { redis, postgres } = metricsOf(watched);
  const worstNode = (metric: string) => {
    const metrics = numbered('node', watched.redisNodes, (node) => redis(node)(metric, 'Maximum'));
    return { metrics, expression: `MAX([${Object.keys(metrics)}])` };
  };
  return [
    {
      name: 'redis-memory',
      means: 'Redis is nearly full. When it is full it refuses every write.',
      ...worstNode('DatabaseMemoryUsagePercentage'),
      is: 'above',
      threshold: 80,
      periods: 2,
      minutes: 5,
    },
    {
      name: 'redis-cpu',
      means: 'Redis, which does one thing at a time, has no time left.',
      ...worstNode('EngineCPUUtilization'),
      is: 'above',
      threshold: 90,
      periods: 2,
      minutes: 5,
    },
    {
      name: 'postgres-storage',
      means: 'The database is nearly full, and its storage has not grown by itself.',
      metrics: { free: postgres('FreeStorageSpace', 'Minimum') },
      is: 'below',
      threshold: 3 * GiB,
      periods: 3,
      minutes: 5,
    },
  ];
}

function ofNetwork(watched: Watched): AlarmRule[] {
  const { gateway } = metricsOf(watched);
  if (watched.gateways.length === 0) return [];
  const metrics = numbered('gateway', watched.gateways, (id) => gateway(id)('ErrorPortAllocation', 'Sum'));
  return [
    {
      name: 'nat-ports',
      means: 'A NAT gateway has no port left for new connections to some host.',
      metrics,
      expression: `SUM([${Object.keys(metrics)}])`,
      is: 'above',
      threshold: 0,
      periods: 3,
      minutes: 5,
    },
  ];
}

function numbered<T>(called: string, of: T[], metric: (each: T) => Metric): Record<string, Metric> {
  return Object.fromEntries(of.map((each, at) => [`${called}${at}`, metric(each)]));
}

/** What the runtime says itself. */
function ofLog(watched: Watched): AlarmRule[] {
  const { signal } = metricsOf(watched);
  const lasting = { is: 'above', periods: 3, minutes: 5 } as const;
  const once = { is: 'above', threshold: 0, periods: 1, minutes: 5 } as const;
  return [
    {
      name: 'store-away',
      means: 'For 3 minutes an instance of the runtime could not reach Redis: it serves nothing new.',
      metrics: { lines: signal('StoreAway') },
      is: 'above',
      threshold: 0,
      periods: 3,
      minutes: 1,
    },
    {
      name: 'files-lost',
      means: 'A container went, and its last changes were not saved.',
      metrics: { lines: signal('FilesLost') },
      ...once,
    },
    {
      name: 'files-not-saved',
      means: 'For a quarter of an hour files could not be saved.',
      metrics: { lines: signal('FilesNotSaved') },
      ...lasting,
      threshold: 0,
    },
    {
      name: 'sweep-breaker',
      means: 'Many containers have no owner all at once, and the sweep waits for someone to look.',
      metrics: { lines: signal('BreakerOpen') },
      ...once,
    },
    {
      name: 'pool-failing',
      means: 'For a quarter of an hour containers could not be made for the warm pool.',
      metrics: { lines: signal('PoolFailed') },
      ...lasting,
      threshold: 2,
    },
    {
      name: 'loops-failing',
      means: 'For a quarter of an hour the clearing up failed: nothing expires.',
      metrics: { lines: signal('LoopFailed') },
      ...lasting,
      threshold: 0,
    },
    {
      name: 'egress-failing',
      means: 'For a quarter of an hour containers had no way out.',
      metrics: { lines: signal('EgressFailed') },
      ...lasting,
      threshold: 5,
    },
    ...(watched.signsModels
      ? [
          {
            name: 'models-refused',
            means:
              "For a quarter of an hour the role for models could not be assumed: calls of them won't be signed.",
            metrics: { lines: signal('ModelsRefused') },
            ...lasting,
            threshold: 0,
          },
        ]
      : []),
  ];
}
