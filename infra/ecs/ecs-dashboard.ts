import { Dashboard } from '@pulumi/aws/cloudwatch/dashboard.js';
import { type Input, jsonStringify, type Output } from '@pulumi/pulumi';
import type { EcsPlace } from './ecs-place.ts';
import { LOG_SIGNALS, type LogSignal } from './log-signals.ts';
import { type Metric, metricsOf, type Watched } from './watched.ts';

const WIDTH = 8;
const HEIGHT = 6;
const IN_A_ROW = 3;

interface Graph {
  title: string;
  metrics: Metric[];
}

/** One page for whoever is on call: which alarms there are, and the numbers behind them and beside them. */
export function ecsDashboard(place: EcsPlace, watched: Watched, alarms: Output<string>[]): Dashboard {
  const { name, parent, region } = place;
  const status = {
    type: 'alarm',
    ...{ x: 0, y: 0, width: WIDTH * IN_A_ROW, height: 4 },
    properties: { title: 'Alarms', alarms },
  };
  const graphs = graphsOf(watched).map(({ title, metrics }, at) => ({
    type: 'metric',
    x: (at % IN_A_ROW) * WIDTH,
    y: status.height + Math.floor(at / IN_A_ROW) * HEIGHT,
    width: WIDTH,
    height: HEIGHT,
    properties: { title, region, view: 'timeSeries', period: 60, metrics: metrics.map(line) },
  }));
  return new Dashboard(
    name,
    { dashboardName: name, dashboardBody: jsonStringify({ widgets: [status, ...graphs] }) },
    { parent },
  );
}

/** A line of a graph, as dashboards have it. */
function line({ namespace, name, stat, dimensions }: Metric): Input<unknown>[] {
  return [namespace, name, ...Object.entries(dimensions).flat(), { stat }];
}

function graphsOf(watched: Watched): Graph[] {
  const of = metricsOf(watched);
  const { runtime, proxy, redisNodes, gateways } = watched;
  const services = proxy ? [runtime, proxy] : [runtime];
  const signals = Object.keys(LOG_SIGNALS) as LogSignal[]; // the table's own keys
  return [
    {
      title: 'Requests and errors',
      metrics: [
        of.targets('RequestCount', 'Sum'),
        of.targets('HTTPCode_Target_4XX_Count', 'Sum'),
        of.targets('HTTPCode_Target_5XX_Count', 'Sum'),
        of.balancer('HTTPCode_ELB_5XX_Count', 'Sum'),
      ],
    },
    {
      title: 'Time to the first byte of an answer',
      metrics: [of.targets('TargetResponseTime', 'p50'), of.targets('TargetResponseTime', 'p99')],
    },
    {
      title: 'Instances that are ready, and that are not; open connections',
      metrics: [
        of.targets('HealthyHostCount', 'Maximum'),
        of.targets('UnHealthyHostCount', 'Maximum'),
        of.balancer('ActiveConnectionCount', 'Sum'),
      ],
    },
    {
      title: 'Tasks in the cluster: conversations, workspaces, workers and services',
      metrics: [of.cluster('TaskCount', 'Maximum')],
    },
    {
      title: 'Services: tasks that there should be, and that run',
      metrics: services.flatMap((service) => [
        of.tasksOf(service)('DesiredTaskCount', 'Average'),
        of.tasksOf(service)('RunningTaskCount', 'Average'),
      ]),
    },
    {
      title: 'Processors of Fargate that the account uses',
      metrics: ['Standard/OnDemand', 'Standard/Spot'].map((Class) => ({
        namespace: 'AWS/Usage',
        name: 'ResourceCount',
        stat: 'Maximum',
        dimensions: { Service: 'Fargate', Type: 'Resource', Resource: 'vCPU', Class },
      })),
    },
    {
      title: 'Services: CPU and memory, percent',
      metrics: services.flatMap((service) => [
        of.service(service)('CPUUtilization', 'Average'),
        of.service(service)('MemoryUtilization', 'Maximum'),
      ]),
    },
    { title: "What the runtime's log counts", metrics: signals.map(of.signal) },
    {
      title: 'Redis: memory and CPU, percent',
      metrics: redisNodes.flatMap((node) => [
        of.redis(node)('DatabaseMemoryUsagePercentage', 'Maximum'),
        of.redis(node)('EngineCPUUtilization', 'Maximum'),
      ]),
    },
    {
      title: 'Redis: connections, replication lag in seconds, evictions',
      metrics: redisNodes.flatMap((node) => [
        of.redis(node)('CurrConnections', 'Maximum'),
        of.redis(node)('ReplicationLag', 'Maximum'),
        of.redis(node)('Evictions', 'Sum'),
      ]),
    },
    {
      title: 'Postgres: CPU in percent, connections',
      metrics: [of.postgres('CPUUtilization', 'Average'), of.postgres('DatabaseConnections', 'Maximum')],
    },
    { title: 'Postgres: free storage in bytes', metrics: [of.postgres('FreeStorageSpace', 'Minimum')] },
    ...(gateways.length === 0
      ? []
      : [
          {
            title: 'NAT: bytes out, connections without a port',
            metrics: gateways.flatMap((gateway) => [
              of.gateway(gateway)('BytesOutToDestination', 'Sum'),
              of.gateway(gateway)('ErrorPortAllocation', 'Sum'),
            ]),
          },
        ]),
  ];
}
