import {
  ECSClient,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
} from '@aws-sdk/client-ecs';
import { connectEngine } from '../../images/builder/engine.ts';
import { EcsBackend, type EcsBackendOptions } from '../../runtime/containers/ecs/ecs-backend.ts';
import { MemoryTaskStore } from '../../runtime/state/memory/memory-task-store.ts';
import { appTaskDefinition } from '../support/ecs-emulator/app-task-definition.ts';
import { type DockerOptions, dockerBacking } from '../support/ecs-emulator/docker/docker-backing.ts';
import { LABEL, thisProcess } from '../support/ecs-emulator/docker/owner.ts';
import { EcsEmulator, type EmulatorOptions } from '../support/ecs-emulator/ecs-emulator.ts';
import {
  AGENT_CONTAINER,
  workspaceTaskDefinition,
} from '../support/ecs-emulator/workspace-task-definition.ts';
import { must } from '../support/must.ts';
import { docker, editorImage, proxyImage, workspaceImage } from '../support/services/provided.ts';
import { FILE_SYSTEM, renderedPolicy, runtimeAccess, TOOLS_KEY, WORKSPACE_FAMILY } from './runtime-access.ts';

export const CLUSTER = 'berth';
export const FAMILY = 'workspace-agent';
export const LOG_GROUP = '/ecs/workspace-agent';
/** Waits of a test are waits for real containers, not for the next look. */
export const POLL_SECONDS = 0.2;

/** An ECS with the task definition of conversations, whose tasks are containers, and where the runtime may what its policy says. */
export async function startEcs(options: Partial<EmulatorOptions> = {}): Promise<EcsEmulator> {
  const emulator = await EcsEmulator.start({
    backing: dockerBacking({ host: docker().host }),
    clusters: [CLUSTER],
    access: runtimeAccess(renderedPolicy(FAMILY, CLUSTER, LOG_GROUP)),
    ...options,
  });
  await registerWorkspace(emulator);
  return emulator;
}

/** One with an EFS and the task definition of workspaces, for runtimes of these installations. */
export async function startEcsWithFiles(
  installations: readonly string[],
  options: Partial<DockerOptions> & Pick<EmulatorOptions, 'rates'> = {},
): Promise<EcsEmulator> {
  const { rates, ...backing } = options;
  const emulator = await startEcs({
    backing: dockerBacking({ host: docker().host, ...backing }),
    fileSystems: [FILE_SYSTEM],
    ...(rates !== undefined && { rates }),
    access: runtimeAccess(
      ...installations.map((each) => renderedPolicy(FAMILY, CLUSTER, LOG_GROUP, { installation: each })),
    ),
  });
  const images = { agentImage: workspaceImage(), sidecarImage: proxyImage(), editorImage: editorImage() };
  await register(emulator, appTaskDefinition({ ...images, family: WORKSPACE_FAMILY, logGroup: LOG_GROUP }));
  return emulator;
}

/** A revision of the task definition of conversations; `command`: what runs in place of the agent. */
export async function registerWorkspace(
  emulator: EcsEmulator,
  { command, ...size }: { cpu?: string; memory?: string; command?: string[] } = {},
): Promise<void> {
  const images = { agentImage: workspaceImage(), sidecarImage: proxyImage() };
  const definition = workspaceTaskDefinition({ ...images, ...size, family: FAMILY, logGroup: LOG_GROUP });
  const containerDefinitions = definition.containerDefinitions?.map((container) =>
    container.name === AGENT_CONTAINER && command !== undefined ? { ...container, command } : container,
  );
  await register(emulator, { ...definition, containerDefinitions });
}

async function register(
  emulator: EcsEmulator,
  definition: RegisterTaskDefinitionCommandInput,
): Promise<void> {
  const client = new ECSClient({
    endpoint: emulator.url,
    region: emulator.region,
    credentials: { accessKeyId: TOOLS_KEY, secretAccessKey: 'not-checked' },
  });
  await client.send(new RegisterTaskDefinitionCommand(definition));
  client.destroy();
}

/** A backend of this process: the SDK finds the emulator by the process's environment. */
export function ecsBackend(
  emulator: EcsEmulator,
  options: { installation: string } & Partial<EcsBackendOptions>,
): EcsBackend {
  Object.assign(process.env, emulator.env);
  return new EcsBackend({ ...ecsOptions(emulator), tasks: new MemoryTaskStore(), ...options });
}

export function ecsOptions(emulator: EcsEmulator): Omit<EcsBackendOptions, 'installation' | 'tasks'> {
  const { subnets, securityGroups } = emulator;
  return {
    version: '1.2.3',
    cluster: CLUSTER,
    subnets,
    securityGroups,
    capacityProvider: undefined,
    agentPort: 9000,
    proxyAdminPort: 8081,
    logGroup: LOG_GROUP,
    workspaces: { fileSystem: FILE_SYSTEM, template: WORKSPACE_FAMILY, securityGroups },
    instances: 1,
    runTaskConcurrency: 10,
    pollSeconds: POLL_SECONDS,
  };
}

/** What makes a runtime of its own process use it. */
export function ecsEnv(emulator: EcsEmulator): Record<string, string> {
  return {
    ...emulator.env,
    CONTAINER_MANAGER_TYPE: 'ecs',
    ECS_CLUSTER: CLUSTER,
    ECS_TASK_DEFINITION: FAMILY,
    ECS_SUBNETS: emulator.subnets.join(','),
    ECS_SECURITY_GROUPS: emulator.securityGroups.join(','),
    ECS_LOG_GROUP: LOG_GROUP,
    ECS_POLL_SECONDS: String(POLL_SECONDS),
    ECS_INSTANCES: '1', // a part of the rates would not do for such looks
    ECS_WARM_POOL_MIN_SIZE: '0',
    ECS_WARM_POOL_MAX_SIZE: '0',
  };
}

/** With workspaces. */
export function ecsFilesEnv(emulator: EcsEmulator): Record<string, string> {
  return {
    ...ecsEnv(emulator),
    ECS_EFS_FILE_SYSTEM: FILE_SYSTEM,
    ECS_WORKSPACE_TASK_DEFINITION: WORKSPACE_FAMILY,
    DEFAULT_WORKSPACE_IMAGE_REF: editorImage(),
  };
}

/** Tasks that were started for this container and have not stopped. */
export function liveTasks(emulator: EcsEmulator, container?: string) {
  return emulator.tasks.filter(
    (task) =>
      task.status !== 'STOPPED' &&
      (container === undefined || task.identity.startedBy === `berth/${container}`),
  );
}

/** This machine, as the tasks of this process's emulator see it. */
export async function gatewayOfTasks(): Promise<string> {
  const networks = await connectEngine(docker().host).listNetworks({
    filters: { label: [`${LABEL.owner}=${thisProcess()}`] },
  });
  const subnet = must(networks[0]?.IPAM?.Config?.[0]?.Subnet);
  // The first of the range, of which an internal network does not tell.
  return subnet.replace(/\d+\/\d+$/, (end) => String(Number.parseInt(end, 10) + 1));
}
