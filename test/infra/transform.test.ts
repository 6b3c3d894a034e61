import { readFileSync } from 'node:fs';
import { runtime } from '@pulumi/pulumi';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { PlatformArgs } from '../../infra/platform-args.ts';
import { CHILDREN, type Transform } from '../../infra/transform.ts';
import { WorkspacePlatform } from '../../infra/workspace-platform.ts';
import { CERTIFICATE, REGION, recordAws, registering } from './ecs/aws-mocks.ts';
import { transformExample } from './transform-example.ts';

vi.mock('../../infra/image-contexts.ts', () => import('./made-image-contexts.ts'));

const aws = recordAws();
beforeAll(() => runtime.setConfig('aws:region', REGION));

async function made(platform: 'docker' | 'ecs', transform: Transform): Promise<void> {
  aws.resources.splice(0);
  const certificate = platform === 'ecs' ? { certificateArn: CERTIFICATE } : {};
  const args: PlatformArgs = { platform, egressMode: 'service', ...certificate };
  await registering(() => new WorkspacePlatform('agents', args, { transform }));
}

describe('what a child is made with', () => {
  it('can be changed, of that child alone', async () => {
    await made('ecs', {
      bucket: (args) => ({ ...args, tags: { ...args.tags, team: 'platform' } }),
      runtimeTask: (args) => ({ ...args, cpu: '2048' }),
      alarm: (args, name) => (name.endsWith('-capacity') ? { ...args, threshold: 1 } : args),
      securityGroup: (args) => ({ ...args, tags: { ...args.tags, team: 'platform' } }),
    });
    const groups = aws.of('aws:ec2/securityGroup:SecurityGroup');
    expect(groups.length).toBeGreaterThan(5);
    for (const { inputs } of groups) expect(inputs.tags.team).toBe('platform');
    const buckets = aws.of('aws:s3/bucket:Bucket').map(({ name, inputs }) => [name, inputs.tags.team]);
    expect(buckets.sort()).toEqual([
      ['agents-access-logs', undefined],
      ['agents-objects', 'platform'],
    ]);
    const tasks = aws
      .of('aws:ecs/taskDefinition:TaskDefinition')
      .map(({ name, inputs }) => [name, inputs.cpu]);
    expect(tasks.sort()).toEqual([
      ['agents-proxy', '1024'],
      ['agents-runtime', '2048'],
      ['agents-workspace', '2048'],
      ['agents-workspace-agent', '2048'],
    ]);
    const alarm = 'aws:cloudwatch/metricAlarm:MetricAlarm';
    expect(aws.named(alarm, 'agents-capacity').inputs.threshold).toBe(1);
    expect(aws.named(alarm, 'agents-redis-cpu').inputs.threshold).toBe(90);
  });

  it('can be changed on Docker', async () => {
    await made('docker', { redisContainer: (args) => ({ ...args, memory: 512 }) });
    expect(aws.named('docker:index/container:Container', 'agents-redis').inputs.memory).toBe(512);
    expect(aws.named('docker:index/container:Container', 'agents-postgres').inputs.memory).toBeUndefined();
  });

  it.each(['docker', 'ecs'] as const)(
    'can be changed of every child that the table has on %s',
    async (platform) => {
      const provider = platform === 'ecs' ? 'aws:' : 'docker:';
      const children = Object.entries(CHILDREN).filter(([, { type }]) => type.startsWith(provider));
      const seen = new Set<string>();
      const watching = Object.fromEntries(
        children.map(([child]) => [
          child,
          (args: object) => {
            seen.add(child);
            return args;
          },
        ]),
      ) as Transform; // the table's own keys
      await made(platform, watching);
      expect([...seen].sort()).toEqual(children.map(([child]) => child).sort());
    },
  );

  it('can be changed as the guide shows, whose example is this very code', async () => {
    aws.resources.splice(0);
    await registering(() => transformExample(CERTIFICATE));
    const redis = 'aws:elasticache/replicationGroup:ReplicationGroup';
    expect(aws.named(redis, 'agents-redis').inputs.nodeType).toBe('cache.r7g.xlarge');
    const read = (path: string) =>
      readFileSync(new URL(path, import.meta.url), 'utf8').replaceAll(/\s+/g, ' ');
    const [, example = ''] =
      /transform-example.ts --> ```ts (.+?;) ```/.exec(read('../../docs/guides/deploying.md')) ?? [];
    expect(example).toContain('transform: {');
    expect(read('transform-example.ts')).toContain(example);
  });

  it('can be changed of just the children that the guide names', () => {
    const guide = readFileSync(new URL('../../docs/guides/deploying.md', import.meta.url), 'utf8');
    const [, ecs = '', docker = ''] = /\nOn ECS there are (.+?); on Docker (.+?)\. What/s.exec(guide) ?? [];
    const named = [...`${ecs} ${docker}`.matchAll(/`(\w+)`/g)].map(([, child]) => child);
    expect(named.sort()).toEqual(Object.keys(CHILDREN).sort());
  });

  it('is refused for a child that the platform has not, before anything is made', () => {
    aws.resources.splice(0);
    const transform: Transform = { bucket: (args) => args };
    expect(() => new WorkspacePlatform('agents', { platform: 'docker' }, { transform })).toThrow(
      /transform has bucket, but on docker there are runtimeContainer/,
    );
    expect(aws.resources).toEqual([]);
  });
});
