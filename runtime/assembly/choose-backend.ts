import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import type { BackendKind, ContainerBackend } from '../containers/container-backend.ts';
import { findOnPath } from '../containers/find-on-path.ts';
import { socketBasePath } from '../containers/socket-base-path.ts';
import type { Config } from '../contracts/environment.ts';
import type { InstallationId } from '../contracts/ids.ts';
import { processBackendRefusals } from '../contracts/load-config.ts';
import type { DataDirectory } from '../lifecycle/data-directory.ts';
import { StartFailure } from '../lifecycle/start-failure.ts';
import type { TaskStore } from '../state/task-store.ts';
import { VERSION } from '../version.ts';

interface Given {
  config: Config;
  data: DataDirectory;
  installation: InstallationId;
  /** Where programs are looked for. */
  searchPath: string;
  tasks: TaskStore;
  log: Logger;
}

/** Opens the backend that is configured, or that this machine offers. A client loads only when its backend is chosen. */
export async function chooseBackend(given: Given): Promise<ContainerBackend> {
  const { config, data, installation, searchPath, log } = given;
  if (config.CONTAINER_MANAGER_TYPE === 'ecs') return remembered('ecs', config, data, await openEcs(given));
  const base = socketBasePathOrFail(config, data, installation);
  if (config.CONTAINER_MANAGER_TYPE !== 'process' && process.platform !== 'darwin') {
    const docker = await openDocker(config, installation, base);
    const problem = await docker.ping().then(
      () => undefined,
      (error) => (error instanceof Error ? error.message : String(error)),
    );
    if (problem === undefined) return remembered('docker', config, data, docker);
    await docker.close();
    if (config.CONTAINER_MANAGER_TYPE === 'docker') {
      throw new StartFailure(`The Docker engine can't be used (${problem}): start it, or set DOCKER_HOST`);
    }
  }
  if (config.CONTAINER_MANAGER_TYPE === 'docker') {
    throw new StartFailure(
      "On macOS sockets don't cross into Docker's virtual machine, so the docker backend needs the dev stack; " +
        'CONTAINER_MANAGER_TYPE=process runs without it',
    );
  }
  return remembered(
    'process',
    config,
    data,
    await openProcess(config, data, installation, base, findOnPath('bwrap', searchPath), log),
  );
}

/** The same data directory stays with the same backend: the other would not see its containers. */
function remembered(
  kind: BackendKind,
  config: Config,
  data: DataDirectory,
  backend: ContainerBackend,
): ContainerBackend {
  const before = data.read('backend');
  if (before !== undefined && before !== kind && config.CONTAINER_MANAGER_TYPE === undefined) {
    throw new StartFailure(
      `${data.path} was used with the ${before} backend, and now ${kind} would be chosen: ` +
        (kind === 'process' ? 'start the Docker engine, or ' : '') +
        `set CONTAINER_MANAGER_TYPE=${kind} to change over`,
    );
  }
  if (before !== kind) data.write('backend', kind);
  return backend;
}

async function openDocker(
  config: Config,
  installation: InstallationId,
  base: string,
): Promise<ContainerBackend> {
  const { DockerBackend } = await import('../containers/docker/docker-backend.ts');
  return new DockerBackend({
    installation,
    version: VERSION,
    socketBasePath: base,
    helperImage: config.WORKSPACE_IMAGE ?? `workspace-base:${VERSION}`,
    ...(config.DOCKER_HOST === undefined ? {} : { dockerHost: config.DOCKER_HOST }),
    ...(config.DOCKER_APPARMOR_PROFILE === undefined
      ? {}
      : { apparmorProfile: config.DOCKER_APPARMOR_PROFILE }),
  });
}

async function openEcs({ config, installation, tasks }: Given): Promise<ContainerBackend> {
  const { EcsBackend } = await import('../containers/ecs/ecs-backend.ts');
  const { ECS_EFS_FILE_SYSTEM: fileSystem, ECS_WORKSPACE_TASK_DEFINITION: template } = config;
  const ofWorkspaces = config.ECS_WORKSPACE_SECURITY_GROUPS;
  const securityGroups = ofWorkspaces.length === 0 ? config.ECS_SECURITY_GROUPS : ofWorkspaces;
  return new EcsBackend({
    installation,
    version: VERSION,
    tasks,
    cluster: config.ECS_CLUSTER ?? '', // the configuration was refused without it
    subnets: config.ECS_SUBNETS,
    securityGroups: config.ECS_SECURITY_GROUPS,
    capacityProvider: config.ECS_CAPACITY_PROVIDER,
    agentPort: config.ECS_AGENT_PORT,
    proxyAdminPort: config.ECS_PROXY_ADMIN_PORT,
    logGroup: config.ECS_LOG_GROUP,
    workspaces: fileSystem && template ? { fileSystem, template, securityGroups } : undefined,
    instances: config.ECS_INSTANCES,
    runTaskConcurrency: config.ECS_RUN_TASK_CONCURRENCY,
    pollSeconds: config.ECS_POLL_SECONDS,
    addressSeconds: config.ECS_ADDRESS_SECONDS,
    functionTasks: config.ECS_FUNCTION_TASK_DEFINITIONS,
  });
}

async function openProcess(
  config: Config,
  data: DataDirectory,
  installation: InstallationId,
  base: string,
  bwrap: string | undefined,
  log: Logger,
): Promise<ContainerBackend> {
  const refusals = processBackendRefusals(config);
  if (refusals.length > 0) throw new StartFailure(refusals.join('; '), 2);
  const chosenByItself = config.CONTAINER_MANAGER_TYPE === undefined;
  if (bwrap === undefined && !chosenByItself && !config.BERTH_ALLOW_UNISOLATED) {
    throw new StartFailure(
      'The process backend finds no bwrap, and without it nothing is isolated: install bubblewrap, ' +
        'or set BERTH_ALLOW_UNISOLATED=1 to run commands as this very user',
      2,
    );
  }
  log.warn(
    bwrap === undefined
      ? 'the process backend without bwrap isolates NOTHING: commands run as this user, with its files and network'
      : 'the process backend isolates files, processes and network with bwrap, but sets no limits on CPU, memory and disk: development only',
  );
  const { ProcessBackend } = await import('../containers/process/process-backend.ts');
  return new ProcessBackend({
    installation,
    version: VERSION,
    dataDir: data.path,
    socketBasePath: base,
    agentEntry: inImages('workspace-base/agent/main.ts'),
    apps: {
      portEntry: inImages('workspace-base/port/main.ts'),
      programs: {
        'workspace-editor': {
          entry: inImages('workspace-editor/server/main.ts'),
          root: inImages('workspace-editor'),
          modules: inImages('../node_modules'),
        },
        'function-node': {
          entry: inImages('function-node/server/main.ts'),
          root: inImages('function-node'),
        },
        'function-python': {
          entry: inImages('function-python/server/main.py'),
          root: inImages('function-python'),
          runsBy: 'python3',
        },
      },
    },
    nodePath: process.execPath,
    ...(bwrap === undefined ? {} : { bwrapPath: bwrap }),
  });
}

/** The sources of our images, which the process backend runs as they are. */
function inImages(path: string): string {
  return fileURLToPath(new URL(`../../images/${path}`, import.meta.url));
}

function socketBasePathOrFail(config: Config, data: DataDirectory, installation: InstallationId): string {
  try {
    return socketBasePath({ given: config.WORKSPACE_SOCKET_BASE_PATH, dataDir: data.path, installation });
  } catch (error) {
    throw new StartFailure(error instanceof Error ? error.message : String(error), 1, error);
  }
}
