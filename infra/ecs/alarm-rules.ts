import type { AlarmRule } from './alarm-rule.ts';
import { logAlarmRules } from './log-alarm-rules.ts';
import { type Metric, metricsOf, type Watched } from './watched.ts';

const GiB = 2 ** 30;

/** All alarms of a platform. What mends itself, or can wait until the morning, is only on the dashboard. */
export function alarmRules(watched: Watched): AlarmRule[] {
  return [...ofApi(watched), ...ofStores(watched), ...ofNetwork(watched), ...logAlarmRules(watched)];
}

function ofApi(watched: Watched): AlarmRule[] {
  const { targets, balancer, service, tasksOf } = metricsOf(watched);
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
