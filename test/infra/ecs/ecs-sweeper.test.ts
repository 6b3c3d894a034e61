import { readFileSync } from 'node:fs';
import { runtime } from '@pulumi/pulumi';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { CODE } from '../../../infra/ecs/ecs-sweeper.ts';
import type { RevisionsOrder, SweepOrder } from '../../../infra/ecs/sweeper-function/index.mjs';
import { ACCOUNT, REGION, recordAws } from './aws-mocks.ts';
import { RecordedPlatform } from './recorded-platform.ts';

const INVOCATION = 'aws:lambda/invocation:Invocation';
const FUNCTION = 'aws:lambda/function:Function';
const FOLDER = '../../../infra/ecs/sweeper-function/';

vi.mock('../../../infra/image-contexts.ts', () => import('../made-image-contexts.ts'));

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
      families: ['agents-workspace-agent', 'agents-workspace', 'agents-runtime', 'agents-proxy'],
      workspaceFamilies: 'agents-workspace_agents_',
      purge: false,
    });
  });

  it('saves nothing where all data is to go', async () => {
    const made = await RecordedPlatform.made(aws, { destroyData: true });
    expect(orderOf(made)).toMatchObject({
      command: expect.arrayContaining(['destroy-all', '--yes', '--purge']),
      purge: true,
    });
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
      'aws:efs/mountTarget:MountTarget',
      'aws:efs/fileSystemPolicy:FileSystemPolicy',
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

  it('has all of its code', () => {
    const read = (file: string) => readFileSync(new URL(FOLDER + file, import.meta.url), 'utf8');
    const imported = CODE.flatMap((file) => [...read(file).matchAll(/ from '\.\/(.+)'/g)]);
    expect(new Set(CODE)).toEqual(new Set(['index.mjs', ...imported.map(([, file]) => file)]));
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

describe('revisions of task definitions', () => {
  const order = (made: RecordedPlatform): RevisionsOrder =>
    JSON.parse(made.named(INVOCATION, 'agents-revisions').inputs.input);

  it('are told to the function once the services run them, all that there are', async () => {
    const made = await RecordedPlatform.made(aws, { egressMode: 'service' });
    const tasks = made.of('aws:ecs/taskDefinition:TaskDefinition').map(({ inputs }) => inputs.family);
    const { families, revisions } = order(made);
    expect(families.toSorted()).toEqual(tasks.toSorted());
    expect(revisions.map((arn) => arn.split('task-definition/')[1]).sort()).toEqual(
      tasks.map((family) => `${family}:7`).sort(),
    );
    const { inputs, after } = made.named(INVOCATION, 'agents-revisions');
    expect(inputs).toMatchObject({ functionName: 'agents-sweeper', lifecycleScope: 'CRUD' });
    expect(after).toEqual(
      expect.arrayContaining(
        ['agents-runtime', 'agents-proxy'].map((name) => expect.stringContaining(`Service::${name}`)),
      ),
    );
  });

  it('of a kind that is gone are among those that are looked for', async () => {
    const { families, revisions } = order(await RecordedPlatform.made(aws));
    expect(revisions).toHaveLength(3);
    expect(families).toContain('agents-proxy');
  });

  it('stay with their resources, so that nothing that is replaced names a dead one', async () => {
    const made = await RecordedPlatform.made(aws, { egressMode: 'service' });
    for (const { inputs } of made.of('aws:ecs/taskDefinition:TaskDefinition'))
      expect(inputs.skipDestroy).toBe(true);
  });
});

/** What only who serves needs. */
function isFront(urn: string, itself: (urn: string) => boolean): boolean {
  return itself(urn) || urn.includes('aws:lb/targetGroup');
}
