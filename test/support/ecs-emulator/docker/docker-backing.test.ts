import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { type ContainerDefinition, StopTaskCommand, type Task, type Volume } from '@aws-sdk/client-ecs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectEngine } from '../../../../images/builder/engine.ts';
import { must } from '../../must.ts';
import { describeWith, docker, workspaceImage } from '../../services/provided.ts';
import { ArrangedEmulator, CLUSTER } from '../arranged-emulator.ts';
import { dockerBacking } from './docker-backing.ts';
import { LABEL, thisProcess } from './owner.ts';

const IN_A_WHILE = { timeout: 15_000, interval: 50 };

describeWith(['docker', 'workspace-base-image'], 'a task on Docker', () => {
  let arranged: ArrangedEmulator;
  let efsFolder: string;

  beforeAll(async () => {
    efsFolder = mkdtempSync(join(tmpdir(), 'berth-efs-test-'));
    const backing = dockerBacking({ host: docker().host, efsFolder });
    arranged = await ArrangedEmulator.start({ backing, speed: 20, rates: {} });
  });
  afterAll(async () => {
    await arranged[Symbol.asyncDispose]();
    rmSync(efsFolder, { recursive: true, force: true });
  });

  const shell = (script: string, changes: Partial<ContainerDefinition> = {}): ContainerDefinition => ({
    name: 'app',
    image: workspaceImage(),
    user: '1000:1000',
    command: ['sh', '-c', script],
    logConfiguration: {
      logDriver: 'awslogs',
      options: {
        'awslogs-group': '/ecs/workspace-agent',
        'awslogs-region': 'us-east-1',
        'awslogs-stream-prefix': 'ecs',
      },
    },
    ...changes,
  });
  const run = async (
    containerDefinitions: ContainerDefinition[],
    volumes: Volume[] = [],
  ): Promise<string> => {
    const executionRoleArn = 'arn:aws:iam::123456789012:role/execution';
    const taskDefinition = await arranged.register({ executionRoleArn, containerDefinitions, volumes });
    const environment = [{ name: 'B', value: 'of the call' }];
    return arranged.run({
      taskDefinition,
      overrides: { containerOverrides: [{ name: 'app', environment }] },
    });
  };
  const lines = async (arn: string, container = 'app'): Promise<(string | undefined)[]> => {
    const logStreamName = `ecs/${container}/${arn.split('/').at(-1)}`;
    const { events = [] } = await arranged.logs.send(
      new GetLogEventsCommand({ logGroupName: '/ecs/workspace-agent', logStreamName, startFromHead: true }),
    );
    return events.map(({ message }) => message);
  };
  /** Runs the script to its end; returns what it printed. */
  const printed = async (script: string, changes?: Partial<ContainerDefinition>, volumes?: Volume[]) => {
    const arn = await run([shell(script, changes)], volumes);
    await arranged.reached(arn, 'STOPPED');
    return lines(arn);
  };

  // "Task networking with the awsvpc network mode": containers of a task share its interface.
  it('is reached by its own address, on which its containers share localhost', async () => {
    const serve = 'exec python3 -m http.server 9000 --directory /etc';
    const ask = 'until curl -sf http://127.0.0.1:9000/hostname; do sleep 0.1; done; exec sleep infinity';
    const arn = await run([
      shell(serve),
      shell(ask, { name: 'beside', dependsOn: [{ containerName: 'app', condition: 'START' }] }),
    ]);
    const address = addressOf(await arranged.reached(arn, 'RUNNING'));
    await expect
      .poll(async () => (await fetch(`http://${address}:9000/hostname`)).status, IN_A_WHILE)
      .toBe(200);
    await expect.poll(() => lines(arn, 'beside'), IN_A_WHILE).toHaveLength(1);
  });

  it('has the hardening of its definition, and the environment with its overrides', async () => {
    const output = await printed(
      'id -u; touch /opt/x 2>&1; touch /scratch/x && echo written; grep CapEff /proc/self/status; cat /proc/1/comm; pwd; echo $A $B; ulimit -n',
      {
        readonlyRootFilesystem: true,
        workingDirectory: '/opt',
        linuxParameters: {
          capabilities: { drop: ['ALL'] },
          initProcessEnabled: true,
          tmpfs: [{ containerPath: '/scratch', size: 16, mountOptions: ['rw', 'uid=1000', 'mode=0700'] }],
        },
        environment: [
          { name: 'A', value: 'of the definition,' },
          { name: 'B', value: 'of the definition' },
        ],
        ulimits: [{ name: 'nofile', softLimit: 2048, hardLimit: 4096 }],
      },
    );
    expect(output).toEqual([
      '1000',
      "touch: cannot touch '/opt/x': Read-only file system",
      'written',
      'CapEff:\t0000000000000000',
      'docker-init',
      '/opt',
      'of the definition, of the call',
      '2048',
    ]);
  });

  // API_ContainerDefinition, memory: "If your container attempts to exceed the memory specified here, it is killed."
  it('kills a container that takes more memory than it may', async () => {
    const arn = await run([
      shell('exec python3 -c "b = bytearray(200 * 1024 * 1024); b[::4096] = b\'x\' * len(b[::4096])"', {
        memory: 64,
      }),
    ]);
    expect(await arranged.reached(arn, 'STOPPED')).toMatchObject({
      stopCode: 'EssentialContainerExited',
      containers: [{ exitCode: 137, reason: expect.stringMatching(/^OutOfMemoryError/) }],
    });
  });

  // API_StopTask: SIGTERM, then SIGKILL "if the container doesn't handle SIGTERM within" the stop timeout.
  it('ends by SIGTERM, or by SIGKILL when its stop timeout has passed', async () => {
    const polite = 'trap "echo asked; exit 7" TERM; echo ready; while :; do sleep 0.05; done';
    const deaf = 'trap "" TERM; echo ready; while :; do sleep 0.05; done';
    const arn = await run([
      shell(polite, { stopTimeout: 120 }),
      shell(deaf, { name: 'deaf', stopTimeout: 10 }),
    ]);
    await arranged.reached(arn, 'RUNNING');
    await expect
      .poll(async () => [...(await lines(arn)), ...(await lines(arn, 'deaf'))], IN_A_WHILE)
      .toHaveLength(2);
    await arranged.ecs.send(new StopTaskCommand({ cluster: CLUSTER, task: arn }));
    const { containers, stoppingAt, executionStoppedAt } = await arranged.reached(arn, 'STOPPED');
    expect(containers).toMatchObject([
      { name: 'app', exitCode: 7 },
      { name: 'deaf', exitCode: 137 },
    ]);
    expect(await lines(arn)).toEqual(['ready', 'asked']);
    const took = must(executionStoppedAt).getTime() - must(stoppingAt).getTime();
    expect(took).toBeGreaterThanOrEqual(10_000);
  });

  it('runs its health checks in the container', async () => {
    const healthCheck = { command: ['CMD-SHELL', 'test -e /tmp/well'], interval: 5, timeout: 5, retries: 1 };
    const script = 'touch /tmp/well; read line < /tmp/go; rm /tmp/well; exec sleep infinity';
    const arn = await run([shell(`mkfifo /tmp/go; ${script}`, { healthCheck })]);
    await arranged.reached(arn, 'RUNNING');
    const health = async () => (await arranged.describe(arn)).healthStatus;
    await expect.poll(health, IN_A_WHILE).toBe('HEALTHY');
    const engine = connectEngine(docker().host);
    const [app] = await engine.listContainers({
      filters: { label: [`${LABEL.emulator}.container=app`], name: [must(arn.split('/').at(-1))] },
    });
    const exec = await engine
      .getContainer(must(app).Id)
      .exec({ Cmd: ['sh', '-c', 'echo > /tmp/go'], AttachStdout: true });
    (await exec.start({})).resume();
    await expect.poll(health, IN_A_WHILE).toBe('UNHEALTHY');
  });

  it('fails to start with an image that the engine does not have: CannotPullContainerError', async () => {
    const task = await arranged.reached(await run([shell('true', { image: 'no-such-image:1' })]), 'STOPPED');
    expect(task.stopCode).toBe('TaskFailedToStart');
    expect(task.stoppedReason).toMatch(/^CannotPullContainerError: .*no-such-image/);
  });

  // "Use bind mounts with Amazon ECS": on Fargate they are empty, shared, and go with the task.
  it('shares a volume among its containers while it lives', async () => {
    const mount = (readOnly: boolean) => ({
      mountPoints: [{ sourceVolume: 'shared', containerPath: '/shared', readOnly }],
    });
    const containers = [
      shell('touch /shared/x 2>&1; cat /shared/a', {
        ...mount(true),
        dependsOn: [{ containerName: 'before', condition: 'SUCCESS' }],
      }),
      shell('echo hello > /shared/a', { ...mount(false), name: 'before', essential: false, user: '0:0' }),
    ];
    const arn = await run(containers, [{ name: 'shared' }]);
    await arranged.reached(arn, 'STOPPED');
    expect(await lines(arn)).toEqual(["touch: cannot touch '/shared/x': Read-only file system", 'hello']);
    const { Volumes: volumes } = await connectEngine(docker().host).listVolumes();
    expect(volumes.filter(({ Name }) => Name.includes(must(arn.split('/').at(-1))))).toEqual([]);
  });

  // API_EFSVolumeConfiguration; "Amazon EFS access points".
  it('has an EFS file system as a folder, by its root directory', async () => {
    mkdirSync(join(efsFolder, 'fs-12345678/data'), { recursive: true });
    writeFileSync(join(efsFolder, 'fs-12345678/data/a'), 'kept\n');
    const mountPoints = [{ sourceVolume: 'efs', containerPath: '/efs' }];
    const efs = (changes: object): Volume[] => [
      { name: 'efs', efsVolumeConfiguration: { fileSystemId: 'fs-12345678', ...changes } },
    ];
    expect(await printed('cat /efs/a', { mountPoints }, efs({ rootDirectory: '/data' }))).toEqual(['kept']);
    const nowhere = await run([shell('true', { mountPoints })], efs({ rootDirectory: '/none' }));
    expect((await arranged.reached(nowhere, 'STOPPED')).stoppedReason).toContain('No such file or directory');
  });

  // "Working with Amazon EFS access points": the folder is made with the first mount, and stays.
  it('comes to the folder of an access point as its user, while that is there, and as nobody else', async () => {
    const { accessPoints, fileSystems } = arranged.emulator;
    const FileSystemId = must(fileSystems[0]);
    const { AccessPointId } = accessPoints.create({
      ClientToken: 'a',
      FileSystemId,
      PosixUser: { Uid: 1000, Gid: 1000 },
      RootDirectory: {
        Path: '/homes/a',
        CreationInfo: { OwnerUid: 1000, OwnerGid: 1000, Permissions: '0700' },
      },
      Tags: [],
    });
    const mountPoints = [{ sourceVolume: 'efs', containerPath: '/efs' }];
    const volumes = (fileSystemId: string): Volume[] => [
      {
        name: 'efs',
        efsVolumeConfiguration: {
          fileSystemId,
          transitEncryption: 'ENABLED',
          authorizationConfig: { accessPointId: AccessPointId, iam: 'DISABLED' },
        },
      },
    ];
    const asThem = { mountPoints, linuxParameters: { capabilities: { drop: ['ALL'] } } };
    const ours = volumes(FileSystemId);
    expect(await printed('stat -c "%a %u:%g" /efs; echo mine > /efs/b', asThem, ours)).toEqual([
      '700 1000:1000',
    ]);
    expect(readFileSync(join(efsFolder, FileSystemId, 'homes/a/b'), 'utf8')).toBe('mine\n');
    const why = async (changes: object, from = ours) =>
      (await arranged.reached(await run([shell('true', changes)], from), 'STOPPED')).stoppedReason;
    expect(await why({ ...asThem, user: '0:0' })).toContain('has to be that user');
    expect(await why({ mountPoints })).toContain('without capabilities');
    expect(await why(asThem, volumes('fs-12345678'))).toContain('is not available in fs-12345678');
    accessPoints.delete(AccessPointId);
    expect(await why(asThem)).toContain(`the access point ${AccessPointId} is not available`);
  });

  it('has no way out of its network, and reaches no other task', async () => {
    const serving = await run([shell('exec python3 -m http.server 9000')]);
    const other = addressOf(await arranged.reached(serving, 'RUNNING'));
    await expect.poll(async () => (await fetch(`http://${other}:9000/`)).status, IN_A_WHILE).toBe(200);
    expect(await printed(`curl -s --max-time 1 http://${other}:9000/ || echo cut`)).toEqual(['cut']);
    const filters = { label: [`${LABEL.owner}=${thisProcess()}`] };
    const networks = await connectEngine(docker().host).listNetworks({ filters });
    expect(networks).toMatchObject([{ Internal: true }]);
  });

  it("is gone when an essential container is killed, and its address may be the next one's", async () => {
    arranged.emulator.reuseAddresses();
    const sleeping = shell('exec sleep infinity');
    const arn = await run([sleeping]);
    const address = addressOf(await arranged.reached(arn, 'RUNNING'));
    await arranged.emulator.killContainer(arn, 'app');
    expect(await arranged.reached(arn, 'STOPPED')).toMatchObject({
      stopCode: 'EssentialContainerExited',
      containers: [{ exitCode: 137 }],
    });
    expect(addressOf(await arranged.reached(await run([sleeping]), 'RUNNING'))).toBe(address);
  });
});

function addressOf({ attachments }: Task): string {
  return must(attachments?.[0]?.details?.find(({ name }) => name === 'privateIPv4Address')?.value);
}
