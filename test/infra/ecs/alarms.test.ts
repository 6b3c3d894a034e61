import { globSync, readFileSync } from 'node:fs';
import { runtime } from '@pulumi/pulumi';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { LOG_SIGNALS } from '../../../infra/ecs/log-signals.ts';
import type { PlatformArgs } from '../../../infra/platform-args.ts';
import { must } from '../../support/must.ts';
import type { Registered } from '../registered.ts';
import { ACCOUNT, REGION, recordAws } from './aws-mocks.ts';
import { RecordedPlatform } from './recorded-platform.ts';

const ALARM = 'aws:cloudwatch/metricAlarm:MetricAlarm';
const FILTER = 'aws:cloudwatch/logMetricFilter:LogMetricFilter';
const TOPIC = `arn:aws:sns:${REGION}:${ACCOUNT}:on-call`;

vi.mock('../../../infra/image-contexts.ts', () => import('../made-image-contexts.ts'));

const aws = recordAws();
const platform = (args?: Omit<PlatformArgs, 'platform'>) => RecordedPlatform.made(aws, args);
/** With everything that there can be an alarm about. */
const all = () =>
  platform({
    egressMode: 'service',
    bedrockRegion: REGION,
    alarmTopicArn: TOPIC,
    functionTaskDefinitions: [`resize=arn:aws:ecs:${REGION}:${ACCOUNT}:task-definition/resize:7:8080`],
  });

beforeAll(() => runtime.setConfig('aws:region', REGION));

interface Query {
  id: string;
  returnData: boolean;
  expression?: string;
  metric?: { namespace: string; metricName: string; dimensions: Record<string, string>; period: number };
}

const queriesOf = ({ inputs }: Registered): Query[] => inputs.metricQueries;

describe('the alarms of a platform on AWS', () => {
  it('each have an entry in the guide for whoever is on call, and no entry is of an alarm that is not', async () => {
    const made = await all();
    const guide = readFileSync(new URL('../../../docs/guides/operations.md', import.meta.url), 'utf8');
    const [, section = ''] = /\n## Alarms on AWS\n(.*?)(?=\n## |$)/s.exec(guide) ?? [];
    const entries = [...section.matchAll(/^### (.+)$/gm)].map(([, heading]) => `agents-${heading}`);
    expect(made.names(ALARM)).toEqual(entries.sort());
    for (const { name, inputs } of made.of(ALARM))
      expect(inputs.alarmDescription).toContain(`docs/guides/operations.md#${name.slice('agents-'.length)}`);
  });

  it('tell the topic when they begin and when they are over', async () => {
    for (const { inputs } of (await all()).of(ALARM))
      expect(inputs).toMatchObject({ alarmActions: [TOPIC], okActions: [TOPIC] });
  });

  it('tell nobody where no topic is given', async () => {
    for (const { inputs } of (await platform()).of(ALARM))
      expect(inputs).toMatchObject({ alarmActions: [], okActions: [] });
  });

  it('are about what there is: no proxy, no gateway, no models, no functions', async () => {
    const names = (await platform({ allowedDomains: ['none'] })).names(ALARM);
    expect(names).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/proxy-tasks|nat-ports|models-refused|workers-failing/)]),
    );
    expect(names).toContain('agents-runtime-tasks');
  });

  it('look at one series, or at one expression of several', async () => {
    for (const alarm of (await all()).of(ALARM)) {
      const told = queriesOf(alarm).filter(({ returnData }) => returnData);
      expect(told, alarm.name).toHaveLength(1);
      const series = queriesOf(alarm).filter(({ metric }) => metric);
      if (series.length > 1)
        for (const { id } of series) expect(told[0]?.expression, alarm.name).toContain(id);
    }
  });

  it('look at the balancer, the service, every node of Redis, the database and every gateway', async () => {
    const made = await all();
    const of = (name: string, id: string) =>
      must(queriesOf(made.named(ALARM, `agents-${name}`)).find((query) => query.id === id));
    const dimensions = (name: string, id: string) => of(name, id).metric?.dimensions;
    expect(of('api-unavailable', 'ready').metric).toMatchObject({
      namespace: 'AWS/ApplicationELB',
      metricName: 'HealthyHostCount',
      dimensions: { LoadBalancer: 'app/agents/1', TargetGroup: 'targetgroup/agents/1' },
      period: 60,
    });
    expect(dimensions('runtime-tasks', 'running')).toEqual({
      ClusterName: 'agents',
      ServiceName: 'agents-runtime',
    });
    expect(dimensions('proxy-tasks', 'wanted')).toMatchObject({ ServiceName: 'agents-proxy' });
    expect(of('redis-memory', 'result').expression).toBe('MAX([node0,node1])');
    expect(dimensions('redis-memory', 'node1')).toEqual({ CacheClusterId: 'agents-redis-id-0001-002' });
    expect(dimensions('postgres-storage', 'free')).toEqual({
      DBInstanceIdentifier: 'agents-postgres-1a2b3c4d',
    });
    expect(dimensions('nat-ports', 'gateway1')).toEqual({ NatGatewayId: 'agents-nat-1-id' });
  });

  it('take silence for a failure only where someone would have to speak', async () => {
    const breaching = (await all()).of(ALARM).filter(({ inputs }) => inputs.treatMissingData === 'breaching');
    expect(breaching.map(({ name }) => name)).toEqual(['agents-api-unavailable']);
  });

  it('warn before the containers that there may be are all there, whatever else runs in the cluster', async () => {
    const made = await platform();
    const [{ metric }] = queriesOf(made.named(ALARM, 'agents-capacity')) as [Query]; // there is one
    expect(metric).toMatchObject({ namespace: 'Berth/agents', metricName: 'NearlyFull' });
  });
});

describe("what is counted in the runtime's log", () => {
  const sources = globSync('runtime/**/*.ts', { cwd: new URL('../../..', import.meta.url) })
    .map((path) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8'))
    .join('\n');

  it.each(Object.values(LOG_SIGNALS).flat())('"%s" is what the runtime says', (message) => {
    expect(sources).toContain(`'${message}'`);
  });

  it('is found in its lines, from its own group, and shown as a number of this platform', async () => {
    const made = await platform();
    expect(made.of(FILTER)).toHaveLength(Object.keys(LOG_SIGNALS).length);
    expect(made.named(FILTER, 'agents-LoopFailed').inputs).toMatchObject({
      logGroupName: '/ecs/agents/runtime',
      pattern:
        '{ ($.msg = "looking for expired containers failed") || ($.msg = "a turn of the loop failed") }',
      metricTransformation: { namespace: 'Berth/agents', name: 'LoopFailed', value: '1' },
    });
    const { inputs: group } = made.named('aws:cloudwatch/logGroup:LogGroup', 'agents-runtime');
    expect(group.name).toBe('/ecs/agents/runtime');
  });

  it.each(Object.entries(LOG_SIGNALS))('%s has words that a filter takes as they are', (_, messages) => {
    for (const message of messages) expect(message).not.toMatch(/["*\\]/);
  });
});

describe('the dashboard', () => {
  it('shows every alarm, and every number that one looks at', async () => {
    const made = await all();
    const { inputs } = made.named('aws:cloudwatch/dashboard:Dashboard', 'agents');
    const { widgets } = JSON.parse(inputs.dashboardBody);
    const [status, ...graphs] = widgets;
    expect(status.properties.alarms).toHaveLength(made.of(ALARM).length);
    const shown = new Set(
      graphs.flatMap(({ properties }: { properties: { metrics: string[][] } }) =>
        properties.metrics.map(([namespace, name]) => `${namespace} ${name}`),
      ),
    );
    const lookedAt = made
      .of(ALARM)
      .flatMap(queriesOf)
      .flatMap(({ metric }) => (metric ? [`${metric.namespace} ${metric.metricName}`] : []));
    expect([...new Set(lookedAt)].filter((metric) => !shown.has(metric))).toEqual([]);
  });

  it('lays nothing over anything else', async () => {
    const { inputs } = (await all()).named('aws:cloudwatch/dashboard:Dashboard', 'agents');
    const { widgets } = JSON.parse(inputs.dashboardBody);
    const cells = widgets.flatMap(({ x, y, width, height }: Record<string, number>) =>
      Array.from({ length: (width ?? 0) * (height ?? 0) }, (_, at) => {
        return `${(x ?? 0) + (at % (width ?? 1))},${(y ?? 0) + Math.floor(at / (width ?? 1))}`;
      }),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...widgets.map(({ x, width }: Record<string, number>) => (x ?? 0) + (width ?? 0)))).toBe(
      24,
    );
  });
});
