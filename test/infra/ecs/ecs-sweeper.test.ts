import { runtime } from '@pulumi/pulumi';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { SweepOrder } from '../../../infra/ecs/sweeper-function/index.mjs';
import { ACCOUNT, REGION, recordAws } from './aws-mocks.ts';
import { RecordedPlatform } from './recorded-platform.ts';

const INVOCATION = 'aws:lambda/invocation:Invocation';
const FUNCTION = 'aws:lambda/function:Function';

// Bundling takes seconds, and whoever tests the images does it.
vi.mock('../../../infra/image-contexts.ts', () => ({
  imageContexts: () => ({
    'workspace-base': { folder: '/contexts/workspace-base', hash: 'aaaaaaaaaaaa' },
    'workspace-editor': { folder: '/contexts/workspace-editor', hash: 'dddddddddddd' },
    'proxy-sidecar': { folder: '/contexts/proxy-sidecar', hash: 'bbbbbbbbbbbb' },
    runtime: { folder: '/contexts/runtime', hash: 'cccccccccccc' },
  }),
}));

const aws = recordAws();
beforeAll(() => runtime.setConfig('aws:region', REGION));

const orderOf = (made: RecordedPlatform): SweepOrder =>
  JSON.parse(made.named(INVOCATION, 'agents-sweeper').inputs.input);

describe('the sweeper on ECS', () => {
  it("is told the runtime's own task, and where the runtime is", async () => {
    const made = await RecordedPlatform.made(aws);
    const service = made.named('aws:ecs/service:Service', 'agents-runtime').inputs;
    const { subnets, securityGroups } = service.networkConfiguration;
    expect(orderOf(made)).toEqual({
      cluster: service.cluster,
      taskDefinition: service.taskDefinition,
      family: 'agents-runtime',
      container: made.containers('agents-runtime')[0]?.name,
      command: ['node', '/opt/berth/runtime.mjs', 'destroy-all', '--yes'],
      subnets,
      securityGroups,
      logGroup: '/ecs/agents/runtime',
    });
  });

  it('saves nothing where all data is to go', async () => {
    const made = await RecordedPlatform.made(aws, { destroyData: true });
    expect(orderOf(made).command).toEqual(expect.arrayContaining(['destroy-all', '--yes', '--purge']));
  });

  it('is called at every step of its life, and another is made of it by nothing', async () => {
    const { inputs } = (await RecordedPlatform.made(aws)).named(INVOCATION, 'agents-sweeper');
    expect(inputs).toMatchObject({ functionName: 'agents-sweeper', lifecycleScope: 'CRUD' });
    expect(Object.keys(inputs).sort()).toEqual(['functionName', 'input', 'lifecycleScope']);
  });

  it('goes after the service and before all that the runtime needs', async () => {
    const made = await RecordedPlatform.made(aws, { egressMode: 'service' });
    const service = made.named('aws:ecs/service:Service', 'agents-runtime');
    expect(service.after.join('\n')).toContain(`${INVOCATION}::agents-sweeper`);
    const sweeper = made.named(INVOCATION, 'agents-sweeper');
    const itself = (urn: string) => /::agents-sweeper$/.test(urn);
    expect(sweeper.after).toEqual(
      expect.arrayContaining(service.after.filter((urn) => !isFront(urn, itself))),
    );
    const needed = [
      'aws:ec2/vpcEndpoint:VpcEndpoint',
      'aws:ec2/routeTableAssociation:RouteTableAssociation',
      'aws:ec2/route:Route',
      'aws:vpc/securityGroupEgressRule:SecurityGroupEgressRule',
      'aws:vpc/securityGroupIngressRule:SecurityGroupIngressRule',
    ];
    const after = `${sweeper.after.join('\n')}\n`;
    const before = /^agents-(public|nat)/; // what routes depend on, in their turn
    for (const type of needed)
      for (const name of made
        .names(type)
        .filter((name) => !before.test(name) || type.includes('Association')))
        expect(after).toContain(`${type}::${name}\n`);
    expect(after).toContain('aws:ecs/service:Service::agents-proxy\n');
    expect(after).toContain('aws:ecs/taskDefinition:TaskDefinition::agents-runtime\n');
    const granted = made.named(FUNCTION, 'agents-sweeper').after.join('\n');
    expect(granted).toContain('aws:iam/rolePolicy:RolePolicy::agents-sweeper');
  });

  it('is a function that may run as long as Lambda lets it, with a log of its own that is not for ever', async () => {
    const made = await RecordedPlatform.made(aws);
    expect(made.named(FUNCTION, 'agents-sweeper').inputs).toMatchObject({
      handler: 'index.handler',
      timeout: 900,
      role: `arn:aws:iam::${ACCOUNT}:role/agents-sweeper`,
      loggingConfig: { logGroup: '/ecs/agents/sweeper' },
    });
    const { inputs: log } = made.named('aws:cloudwatch/logGroup:LogGroup', 'agents-sweeper');
    expect(log.retentionInDays).toBe(30);
  });

  it('may run that task with its two roles and no other', async () => {
    const made = await RecordedPlatform.made(aws);
    const { policy } = made.named('aws:iam/rolePolicy:RolePolicy', 'agents-sweeper').inputs;
    const text: string = policy;
    expect(text).toContain(`task-definition/agents-runtime:*`);
    expect(
      JSON.parse(text).Statement.find(({ Action }: { Action: string }) => Action === 'iam:PassRole'),
    ).toMatchObject({
      Resource: [
        `arn:aws:iam::${ACCOUNT}:role/agents-runtime-execution`,
        `arn:aws:iam::${ACCOUNT}:role/agents-runtime`,
      ],
    });
  });
});

/** What only who serves needs. */
function isFront(urn: string, itself: (urn: string) => boolean): boolean {
  return itself(urn) || urn.includes('aws:lb/targetGroup');
}
