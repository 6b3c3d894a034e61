import { ListTaskDefinitionsCommand, RegisterTaskDefinitionCommand } from '@aws-sdk/client-ecs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ContainerSpec } from '../../../../runtime/containers/container-backend.ts';
import type { EcsBackend } from '../../../../runtime/containers/ecs/ecs-backend.ts';
import { homeVolume, parseWorkspaceId, workspaceContainerId } from '../../../../runtime/contracts/ids.ts';
import { appTaskDefinition } from '../../../support/ecs-emulator/app-task-definition.ts';
import { smallDefinition } from '../../../support/ecs-emulator/arranged-emulator.ts';
import { must } from '../../../support/must.ts';
import { INSTALLATION, StubEcs } from './stub-ecs.ts';

const IMAGES = { agentImage: 'base', sidecarImage: 'sidecar', editorImage: 'editor' };
const MINE = must(parseWorkspaceId('mine'));
const HOME = homeVolume(MINE);
const APP = `workspace_${INSTALLATION}_ws-mine_app`;
const FILES = `workspace_${INSTALLATION}_ws-mine-home_files`;

const spec = (change: Partial<ContainerSpec> = {}, volume = true): ContainerSpec => ({
  id: workspaceContainerId(MINE),
  role: 'workspace',
  image: 'editor:1',
  env: {},
  labels: {},
  limits: { cpus: 1, memoryBytes: 2 ** 28, pids: 128 },
  network: 'none',
  app: {
    port: 8080,
    user: '1000:1000',
    readOnlyRoot: false,
    ...(volume && { volume: { name: HOME, mount: '/home/coder' } }),
  },
  ...change,
});

describe('the task definitions of workspaces', () => {
  let ecs: StubEcs;
  let backend: EcsBackend;
  beforeEach(async () => {
    ecs = await StubEcs.start();
    await ecs.client.send(new RegisterTaskDefinitionCommand(appTaskDefinition(IMAGES)));
    backend = opened('workspace');
  });
  afterEach(() => ecs[Symbol.asyncDispose]());

  const opened = (template: string) => {
    const { fileSystems, securityGroups } = ecs.emulator;
    const workspaces = { fileSystem: must(fileSystems[0]), template, securityGroups };
    return ecs.backend({ workspaces, instances: 0.01 });
  };
  const volumes = () => must(backend.volumes);
  /** Those that are active, but the templates. */
  const active = async (): Promise<string[]> => {
    const { taskDefinitionArns = [] } = await ecs.client.send(new ListTaskDefinitionsCommand({}));
    return taskDefinitionArns.map((arn) => must(arn.split('/').at(-1))).filter((name) => name.includes('_'));
  };
  const leave = (family: string) =>
    ecs.client.send(new RegisterTaskDefinitionCommand(smallDefinition({ family })));

  it('are registered once for the same, and made anew, without the one before, for another image', async () => {
    await volumes().provision(HOME);
    await backend.create(spec());
    await backend.destroy(spec().id);
    await backend.create(spec());
    expect(await active()).toEqual([`${APP}:1`]);
    await backend.destroy(spec().id);
    await backend.create(spec({ image: 'editor:2' }));
    expect(await active()).toEqual([`${APP}:2`]);
    expect(ecs.emulator.calls.count('RegisterTaskDefinition')).toBe(3); // with the template
  });

  it('have the image, the home and what the template says, and no task role', async () => {
    await volumes().provision(HOME);
    await backend.create(spec());
    const { input } = must(ecs.emulator.calls.of('RegisterTaskDefinition').at(-1));
    expect(input).toMatchObject({
      family: APP,
      cpu: '1024',
      containerDefinitions: [
        {
          name: 'workspace-app',
          image: 'editor:1',
          readonlyRootFilesystem: false,
          mountPoints: [{ sourceVolume: 'home', containerPath: '/home/coder' }],
        },
        { name: 'proxy-sidecar', image: 'sidecar' },
      ],
      volumes: [
        {
          efsVolumeConfiguration: {
            transitEncryption: 'ENABLED',
            authorizationConfig: { accessPointId: expect.stringMatching(/^fsap-/), iam: 'DISABLED' },
          },
        },
      ],
    });
    expect(input).not.toHaveProperty('taskRoleArn');
  });

  it('go with the container where there is no home', async () => {
    await backend.create(spec({}, false));
    expect(await active()).toEqual([`${APP}:1`]);
    await backend.destroy(spec().id);
    expect(await active()).toEqual([]);
  });

  it('that a crash has left without their home go at the first list, and no others', async () => {
    await volumes().provision(HOME);
    const gone = `workspace_${INSTALLATION}_ws-gone`;
    const others = 'workspace_others_ws-gone_app';
    for (const family of [APP, FILES, `${gone}_app`, `${gone}-home_files`, others]) await leave(family);
    expect(await volumes().list()).toEqual([HOME]);
    expect((await active()).sort()).toEqual([`${APP}:1`, `${FILES}:1`, `${others}:1`].sort());
  });

  it('want a template with all three containers, and one that is there', async () => {
    await volumes().provision(HOME);
    await leave('small');
    await expect(opened('small').create(spec())).rejects.toMatchObject({
      code: 'CONTAINER_CREATE_FAILED',
      detail: expect.stringMatching(
        /small has no container workspace-app: ECS_WORKSPACE_TASK_DEFINITION wants/,
      ),
    });
    await expect(opened('none').create(spec())).rejects.toMatchObject({
      code: 'IMAGE_PULL_FAILED',
      detail: expect.stringContaining('there is no task definition none'),
    });
  });

  it("are none for another's home", async () => {
    const other = homeVolume(must(parseWorkspaceId('other')));
    await volumes().provision(other);
    const app = { port: 8080, readOnlyRoot: false, volume: { name: other, mount: '/home/coder' } };
    await expect(backend.create(spec({ app }))).rejects.toMatchObject({ code: 'CONTAINER_CREATE_FAILED' });
    expect(await active()).toEqual([]);
  });

  it('are not there without a file system, which is said with what to set', async () => {
    const without = ecs.backend();
    expect(without.volumes).toBeUndefined();
    await expect(without.create(spec())).rejects.toMatchObject({
      code: 'NOT_SUPPORTED',
      detail: expect.stringMatching(/ECS_EFS_FILE_SYSTEM and ECS_WORKSPACE_TASK_DEFINITION/),
    });
  });
});
