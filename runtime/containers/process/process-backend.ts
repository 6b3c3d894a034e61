import { totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SANDBOX_UID_BESIDE_RUNTIME } from '../../contracts/container-limits.ts';
import { BerthError } from '../../contracts/errors.ts';
import {
  type ContainerId,
  roleOfContainer,
  type VolumeName,
  workspaceContainerId,
  workspaceOfVolume,
} from '../../contracts/ids.ts';
import type { Role } from '../../contracts/labels.ts';
import type {
  ContainerBackend,
  ContainerSpec,
  ContainerStats,
  ContainerView,
  Endpoint,
} from '../container-backend.ts';
import { isApp, labelsFor, ownRole, takenBy } from '../ownership.ts';
import { requireShortBase, SocketFolder, type User } from '../socket-folder.ts';
import { Turns } from '../turns.ts';
import { AppPrograms, type AppsOptions, imageName } from './app-programs.ts';
import { ContainerCreation } from './container-creation.ts';
import { ContainerFolder, type ContainerRecord, containerIds, removeHalves } from './container-folder.ts';
import { ContainerLooks } from './container-looks.ts';
import { continueAll, killAll, processesOf, stopAll, terminate } from './container-processes.ts';
import { engineIdOf } from './container-view.ts';
import { readLog } from './output-log.ts';
import { type ProcessIdentity, readProcessTable, sameProcess } from './process-table.ts';
import { ProcessVolumes } from './process-volumes.ts';

export interface ProcessBackendOptions {
  installation: string;
  version: string;
  /** Held by this runtime alone. */
  dataDir: string;
  /** Folder of the containers' sockets. */
  socketBasePath: string;
  /** The agent's program, and the Node that runs it. */
  agentEntry: string;
  nodePath: string;
  /** What containers that run a program of their image take; without it there are none. */
  apps?: AppsOptions;
  /** Without it nothing is isolated: commands run as the runtime's user, with its files and network. */
  bwrapPath?: string;
  /** How long a container may take from its start until its agent listens. 30 unless said. */
  agentReadySeconds?: number;
}

const READY_SECONDS = 30;
const EXIT_POLL_MS = 10;

/**
 * Containers as children of the runtime, for machines without an engine. Nothing limits their CPU, memory, number
 * of processes or disk. Under bwrap they die with the runtime.
 */
export class ProcessBackend implements ContainerBackend {
  readonly kind = 'process';
  readonly volumes: ProcessVolumes;
  readonly capabilities;

  readonly #options: ProcessBackendOptions;
  readonly #containers: string;
  readonly #programs: AppPrograms;
  readonly #turns = new Turns();
  readonly #looks: ContainerLooks;
  #cleared: Promise<void> | undefined;

  constructor(options: ProcessBackendOptions) {
    requireShortBase(options.socketBasePath);
    this.#options = options;
    this.#containers = join(resolve(options.dataDir), 'containers');
    this.#looks = new ContainerLooks(options.installation, (id) => this.#sockets(id).hasAgent());
    this.#programs = new AppPrograms(options.apps, options.dataDir);
    this.volumes = this.#openVolumes();
    this.capabilities = { pause: true, stats: true, isolates: options.bwrapPath !== undefined };
  }

  async create(spec: ContainerSpec, signal?: AbortSignal): Promise<void> {
    if (spec.role !== roleOfContainer(spec.id) || (spec.app !== undefined) !== isApp(spec.id)) {
      const what = `${spec.id} of role ${spec.role}${spec.app === undefined ? '' : ' with a port'}`;
      throw new BerthError('NOT_SUPPORTED', `the process backend makes no container ${what}`);
    }
    await this.pullImage(spec.image);
    await this.#turns.create(spec.id, signal, async (attempt) => {
      await this.#clearHalves();
      if (await this.#isThere(spec)) return;
      const settings = { ...this.#creationSettings(spec), app: await this.#programs.settingsFor(spec) };
      await new ContainerCreation(spec, settings, attempt).run();
    });
  }

  async destroy(
    id: ContainerId,
    { stopSeconds = 0, engineId }: { stopSeconds?: number; engineId?: string } = {},
  ): Promise<void> {
    await this.#turns.destroy(id, async () => {
      await this.#clearHalves();
      const record = await this.#folder(id).read();
      if (record === undefined) await this.#sockets(id).remove();
      else if (this.#isOurs(record) && (engineId ?? engineIdOf(record)) === engineIdOf(record))
        await this.#remove(record, stopSeconds);
    });
  }

  async inspect(id: ContainerId): Promise<ContainerView | undefined> {
    return this.#looks.at(this.#folder(id));
  }

  async list(role: Role): Promise<ContainerView[]> {
    await this.#clearHalves();
    const ids = await containerIds(this.#containers);
    const views = await this.#looks.atAll(ids.map((id) => this.#folder(id)));
    return views.filter((view) => view.role === role);
  }

  async logs(id: ContainerId, { tail }: { tail: number }): Promise<string> {
    await this.#own(id);
    return readLog(this.#folder(id).log, tail);
  }

  async pause(id: ContainerId): Promise<void> {
    await stopAll(await this.#running(id));
  }

  async resume(id: ContainerId): Promise<void> {
    await continueAll(await this.#running(id));
  }

  /** Pages that processes share count for each of them. The limit is the machine's: there is no other. */
  async stats(id: ContainerId): Promise<ContainerStats> {
    const all = await processesOf(await this.#own(id));
    return {
      memoryBytes: all.reduce((sum, each) => sum + each.memoryBytes, 0),
      memoryLimitBytes: totalmem(),
      cpuNanoseconds: all.reduce((sum, each) => sum + each.cpuNanoseconds, 0),
      pids: all.length,
      oomEvents: 0,
    };
  }

  async endpoint(id: ContainerId, port: number | 'agent' | 'proxy'): Promise<Endpoint> {
    const sockets = this.#sockets(id);
    if (port === 'proxy') return { kind: 'socket', path: sockets.proxySocket };
    if (isApp(id) === (port === 'agent'))
      throw new BerthError(
        'NOT_SUPPORTED',
        `${id} has no ${port === 'agent' ? port : `port ${port}`} to dial`,
      );
    return { kind: 'socket', path: sockets.agentSocket };
  }

  async hasImage(image: string): Promise<boolean> {
    return imageName(image) === AGENT_IMAGE || this.#programs.has(image);
  }

  async pullImage(image: string): Promise<void> {
    if (await this.hasImage(image)) return;
    const known = [AGENT_IMAGE, ...this.#programs.names].join(', ');
    const detail = `the process backend runs ${known} only; ${image} takes Docker (CONTAINER_MANAGER_TYPE=docker)`;
    throw new BerthError('IMAGE_PULL_FAILED', detail, { final: true });
  }

  async ping(): Promise<void> {}

  async close(): Promise<void> {
    this.#turns.close();
    await this.volumes.close();
  }

  #openVolumes(): ProcessVolumes {
    const { installation, version, dataDir, bwrapPath } = this.#options;
    return new ProcessVolumes({
      installation,
      version,
      path: join(resolve(dataDir), 'volumes'),
      bwrapPath,
      secret: this.#secretFolders(),
      owner: this.#dropTo(),
      inUse: (name) => this.#hasVolume(name),
    });
  }

  /** Whether a workspace's container is there, also one that does not run. */
  async #hasVolume(name: VolumeName): Promise<boolean> {
    const workspace = workspaceOfVolume(name);
    if (workspace === undefined) return false;
    return (await this.#folder(workspaceContainerId(workspace)).read()) !== undefined;
  }

  /** Whether the container is whole. What is left of an earlier attempt is removed: user code may have run in it. */
  async #isThere(spec: ContainerSpec): Promise<boolean> {
    const record = await this.#folder(spec.id).read();
    if (record === undefined) return false;
    if (ownRole(record.labels, this.#options.installation) !== spec.role) {
      throw new BerthError('CONTAINER_CREATE_FAILED', takenBy(spec.id, record.labels));
    }
    if ((await isAlive(record)) && (await this.#sockets(spec.id).hasAgent())) return true;
    await this.#remove(record, 0);
    return false;
  }

  #creationSettings(spec: ContainerSpec) {
    const { bwrapPath, nodePath, agentEntry } = this.#options;
    return {
      folder: this.#folder(spec.id),
      sockets: this.#sockets(spec.id),
      labels: labelsFor(spec, this.#options, new Date()),
      nodePath,
      agentEntry,
      agentReadySeconds: this.#options.agentReadySeconds ?? READY_SECONDS,
      bwrapPath,
      secret: this.#secretFolders(),
      dropTo: this.#dropTo(),
      runtimeUser: { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
      onStarted: (started: ProcessIdentity, recorded: Promise<void>) => this.#looks.expect(started, recorded),
    };
  }

  #secretFolders(): string[] {
    return [resolve(this.#options.dataDir), resolve(this.#options.socketBasePath)];
  }

  /** Who everything in a container is, where it is not the runtime's own user. */
  #dropTo(): User | undefined {
    return this.#options.bwrapPath !== undefined && process.getuid?.() === 0 ? SANDBOX_USER : undefined;
  }

  /** The record goes last: until then the container is listed, and can be destroyed again. */
  async #remove(record: ContainerRecord, stopSeconds: number): Promise<void> {
    if (stopSeconds > 0) {
      await terminate(record);
      const giveUp = performance.now() + stopSeconds * 1000;
      while ((await isAlive(record)) && performance.now() < giveUp) await sleep(EXIT_POLL_MS);
    }
    await killAll(record);
    await this.#sockets(record.id).remove();
    await this.#folder(record.id).remove();
  }

  async #running(id: ContainerId): Promise<ContainerRecord> {
    const record = await this.#own(id);
    if (await isAlive(record)) return record;
    throw new BerthError('CONTAINER_NOT_FOUND', `container ${id} does not run`);
  }

  async #own(id: ContainerId): Promise<ContainerRecord> {
    const record = await this.#folder(id).read();
    if (record !== undefined && this.#isOurs(record)) return record;
    throw new BerthError('CONTAINER_NOT_FOUND', `there is no container ${id}`);
  }

  #isOurs(record: ContainerRecord): boolean {
    return ownRole(record.labels, this.#options.installation) !== undefined;
  }

  #folder(id: ContainerId): ContainerFolder {
    return new ContainerFolder(this.#containers, id);
  }

  #sockets(id: ContainerId): SocketFolder {
    return new SocketFolder(this.#options.socketBasePath, id);
  }

  /** Once, before anything else can be under way. */
  #clearHalves(): Promise<void> {
    this.#cleared ??= removeHalves(this.#containers).catch((error) => {
      this.#cleared = undefined; // to be tried again
      throw error;
    });
    return this.#cleared;
  }
}

/** Where the runtime is root. Not 1000: that may be a person with files on this machine. */
const SANDBOX_USER: User = { uid: SANDBOX_UID_BESIDE_RUNTIME, gid: SANDBOX_UID_BESIDE_RUNTIME };

const AGENT_IMAGE = 'workspace-base';

async function isAlive(record: ContainerRecord): Promise<boolean> {
  return record.process !== undefined && sameProcess(await readProcessTable(), record.process) !== undefined;
}
