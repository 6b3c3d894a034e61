import {
  type ContainerDefinition,
  DeregisterTaskDefinitionCommand,
  DescribeTaskDefinitionCommand,
  ListTaskDefinitionFamiliesCommand,
  ListTaskDefinitionsCommand,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
  RunTaskCommand,
} from '@aws-sdk/client-ecs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ArrangedEmulator, refusal, smallDefinition } from './arranged-emulator.ts';
import { workspaceTaskDefinition } from './workspace-task-definition.ts';

describe('task definitions', () => {
  let arranged: ArrangedEmulator;
  beforeAll(async () => {
    arranged = await ArrangedEmulator.start({ rates: {} });
  });
  afterAll(() => arranged[Symbol.asyncDispose]());

  const register = (changes: Partial<RegisterTaskDefinitionCommandInput>) =>
    arranged.ecs.send(new RegisterTaskDefinitionCommand(smallDefinition(changes)));
  const refused = async (changes: Partial<RegisterTaskDefinitionCommandInput>): Promise<string> => {
    const { name, message } = await refusal(register(changes));
    return `${name}: ${message}`;
  };
  const withApp = (changes: Partial<ContainerDefinition>) => ({
    containerDefinitions: [{ name: 'app', image: 'app', ...changes }],
  });

  it('of a conversation is one that ECS takes', async () => {
    const input = workspaceTaskDefinition({ agentImage: 'workspace-base', sidecarImage: 'proxy-sidecar' });
    const { taskDefinition } = await arranged.ecs.send(new RegisterTaskDefinitionCommand(input));
    expect(taskDefinition).toMatchObject({
      family: 'workspace-agent',
      revision: 1,
      cpu: '2048',
      memory: '4096',
    });
    expect(taskDefinition?.containerDefinitions).toMatchObject(input.containerDefinitions ?? []);
  });

  // API_RegisterTaskDefinition: revisions; API_DescribeTaskDefinition: "the latest ACTIVE revision".
  it('have revisions; a family alone means its latest that is active', async () => {
    const family = 'revised';
    const latest = async () =>
      (await arranged.ecs.send(new DescribeTaskDefinitionCommand({ taskDefinition: family }))).taskDefinition;
    await register({ family });
    await register({ family });
    expect(await latest()).toMatchObject({ revision: 2, status: 'ACTIVE' });
    await arranged.ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition: `${family}:2` }));
    expect(await latest()).toMatchObject({ revision: 1 });
    const run = arranged.runInput({ taskDefinition: `${family}:2` });
    expect((await refusal(arranged.ecs.send(new RunTaskCommand(run)))).message).toBe(
      'TaskDefinition is inactive',
    );
    const list = async (status: 'ACTIVE' | 'INACTIVE') =>
      (await arranged.ecs.send(new ListTaskDefinitionsCommand({ familyPrefix: family, status })))
        .taskDefinitionArns;
    expect(await list('ACTIVE')).toEqual([expect.stringMatching(/task-definition\/revised:1$/)]);
    expect(await list('INACTIVE')).toEqual([expect.stringMatching(/task-definition\/revised:2$/)]);
  });

  // API_ListTaskDefinitions: "the full family name"; API_ListTaskDefinitionFamilies: "names that begin with".
  it('are listed by the whole name of their family, and families by how theirs begin', async () => {
    for (const family of ['listed', 'listed_app', 'listed_files']) await register({ family });
    await arranged.ecs.send(new DeregisterTaskDefinitionCommand({ taskDefinition: 'listed_files:1' }));
    const whole = await arranged.ecs.send(new ListTaskDefinitionsCommand({ familyPrefix: 'listed' }));
    expect(whole.taskDefinitionArns).toEqual([expect.stringMatching(/task-definition\/listed:1$/)]);
    const begun = new ListTaskDefinitionFamiliesCommand({ familyPrefix: 'listed', status: 'ACTIVE' });
    expect((await arranged.ecs.send(begun)).families).toEqual(['listed', 'listed_app']);
  });

  // "Task CPU and memory" of Fargate task definition parameters.
  it.each([
    ['256', '512', true],
    ['.25 vCPU', '0.5 GB', false],
    ['0.25 vCPU', '0.5 GB', true],
    ['256', '3072', false],
    ['512', '512', false],
    ['1024', '8192', true],
    ['2048', '4096', true],
    ['2048', '4100', false],
    ['4096', '30720', true],
    ['8192', '18432', false],
    ['16384', '122880', true],
    ['300', '1024', false],
  ])('of %s CPU and %s memory: Fargate has it: %s', async (cpu, memory, isThere) => {
    if (isThere) await register({ cpu, memory });
    else expect(await refused({ cpu, memory })).toMatch(/^ClientException: (No Fargate|Invalid setting)/);
  });

  // "Fargate task definition differences": parameters that are not valid or restricted.
  it('for Fargate have no privileges, few capabilities and no host folders', async () => {
    expect(await refused(withApp({ privileged: true }))).toContain('Privileged');
    expect(
      await refused(withApp({ linuxParameters: { capabilities: { add: ['NET_ADMIN'], drop: [] } } })),
    ).toContain('SYS_PTRACE');
    expect(await refused(withApp({ linuxParameters: { sharedMemorySize: 64 } }))).toContain(
      'sharedMemorySize',
    );
    expect(await refused({ volumes: [{ name: 'v', host: { sourcePath: '/etc' } }] })).toContain('sourcePath');
    expect(await refused({ networkMode: 'bridge' })).toContain("network mode 'awsvpc'");
    expect(await refused(withApp({ dockerSecurityOptions: ['no-new-privileges'] }))).toContain(
      'dockerSecurityOptions',
    );
    expect(await refused(withApp({ ulimits: [{ name: 'nproc', softLimit: 1, hardLimit: 1 }] }))).toContain(
      'nofile',
    );
  });

  // API_ContainerDefinition, stopTimeout: "the max stop timeout value is 120 seconds"; API_HealthCheck: the bounds.
  it('bound timeouts and health checks', async () => {
    await register(withApp({ stopTimeout: 120 }));
    expect(await refused(withApp({ stopTimeout: 121 }))).toContain('ClientException');
    const check = { command: ['CMD', 'true'], interval: 30 };
    await register(withApp({ healthCheck: check }));
    for (const wrong of [
      { command: ['true'] },
      { interval: 4 },
      { interval: 301 },
      { timeout: 1 },
      { retries: 11 },
      { startPeriod: 301 },
    ]) {
      expect(await refused(withApp({ healthCheck: { ...check, ...wrong } }))).toContain('healthCheck');
    }
  });

  it('want an execution role for awslogs, an essential container, and names that fit each other', async () => {
    const options = { 'awslogs-group': 'g', 'awslogs-region': 'us-east-1', 'awslogs-stream-prefix': 'p' };
    expect(await refused(withApp({ logConfiguration: { logDriver: 'awslogs', options } }))).toContain(
      'execution role ARN',
    );
    expect(await refused(withApp({ essential: false }))).toContain('essential');
    expect(
      await refused(withApp({ mountPoints: [{ sourceVolume: 'none', containerPath: '/x' }] })),
    ).toContain("Unknown volume 'none'");
    const twice = [
      { name: 'app', image: 'x' },
      { name: 'app', image: 'x' },
    ];
    expect(await refused({ containerDefinitions: twice })).toContain('unique');
    const inCircles = ['a', 'b'].map((name) => ({
      name,
      image: 'x',
      dependsOn: [{ containerName: name === 'a' ? 'b' : 'a', condition: 'START' as const }],
    }));
    expect(await refused({ containerDefinitions: inCircles })).toContain('cycle');
  });

  // API_EFSVolumeConfiguration, API_EFSAuthorizationConfig.
  it('hold EFS volumes to their rules', async () => {
    const efs = (changes: object) => ({
      volumes: [{ name: 'v', efsVolumeConfiguration: { fileSystemId: 'fs-12345678', ...changes } }],
    });
    await register(efs({ rootDirectory: '/a' }));
    const accessPoint = { authorizationConfig: { accessPointId: 'fsap-12345678' } };
    await register(efs({ ...accessPoint, transitEncryption: 'ENABLED' }));
    expect(await refused(efs(accessPoint))).toContain('Transit encryption');
    expect(
      await refused(efs({ ...accessPoint, transitEncryption: 'ENABLED', rootDirectory: '/a' })),
    ).toContain('root directory');
  });

  it('refuse by name what the emulator would have to pass over', async () => {
    const valueFrom = 'arn:aws:ssm:us-east-1:1:parameter/a';
    expect(await refused(withApp({ secrets: [{ name: 'A', valueFrom }] }))).toContain('Secrets Manager');
    expect(await refused({ pidMode: 'task' })).toContain('does not emulate pidMode');
  });
});
