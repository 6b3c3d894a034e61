import { runtime } from '@pulumi/pulumi';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { REGION, recordAws } from './aws-mocks.ts';
import { RecordedPlatform } from './recorded-platform.ts';

vi.mock('../../../infra/image-contexts.ts', () => import('../made-image-contexts.ts'));

const LOGS = 'aws:cloudwatch/logGroup:LogGroup';

const aws = recordAws();
beforeAll(() => runtime.setConfig('aws:region', REGION));

describe('the logs of a platform on AWS', () => {
  it('are each kept for a while, those that AWS would make and keep for ever among them', async () => {
    const made = await RecordedPlatform.made(aws, { egressMode: 'service' });
    expect(made.of(LOGS).map(({ inputs }) => inputs.name)).toEqual(
      expect.arrayContaining([
        ...['/ecs/agents/workspace-agent', '/ecs/agents/runtime', '/ecs/agents/proxy', '/ecs/agents/sweeper'],
        '/aws/ecs/containerinsights/agents/performance',
        '/aws/rds/instance/agents-postgres-1a2b3c4d/postgresql',
        '/aws/rds/instance/agents-postgres-1a2b3c4d/upgrade',
      ]),
    );
    for (const { inputs } of made.of(LOGS)) expect(inputs.retentionInDays).toBe(30);
  });

  it("have a place for the cluster's figures before any task is run", async () => {
    const made = await RecordedPlatform.made(aws, { egressMode: 'service' });
    const capacity = made.named('aws:ecs/clusterCapacityProviders:ClusterCapacityProviders', 'agents');
    expect(capacity.after.join()).toContain('LogGroup::agents-insights');
    for (const service of made.of('aws:ecs/service:Service'))
      expect(service.after.join()).toContain('ClusterCapacityProviders::agents');
  });
});
