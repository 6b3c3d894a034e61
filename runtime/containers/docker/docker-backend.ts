import { SANDBOX_UID, SANDBOX_UID_BESIDE_RUNTIME } from '../../contracts/container-limits.ts';
import { BerthError } from '../../contracts/errors.ts';
import { type ContainerId, parseAnyContainerId, roleOfContainer } from '../../contracts/ids.ts';
import { LABEL, type Role } from '../../contracts/labels.ts';
import type {
  ContainerBackend,
  ContainerSpec,
  ContainerStats,
  ContainerView,
  Endpoint,
} from '../container-backend.ts';
import { isApp, ownRole, takenBy } from '../ownership.ts';
import { requireShortBase, SocketFolder, type User } from '../socket-folder.ts';
import { removeStaleFolders } from '../stale-folders.ts';
import { Turns } from '../turns.ts';
import { type AppContainerSpec, containerOf } from './app-options.ts';
import { ContainerCreation, type CreationSettings } from './container-creation.ts';
import { removeContainer } from './container-removal.ts';
import { DockerApps } from './docker-apps.ts';
import { DockerVolumes } from './docker-volumes.ts';
import { EngineClient } from './engine-client.ts';
import { callFailure, isRefusal } from './engine-errors.ts';
import {
  type EngineFeatures,
  type InspectReply,
  toFeatures,
  toStats,
  toView,
  toViews,
} from './engine-replies.ts';
import { pullImage } from './image-pull.ts';

export interface DockerBackendOptions {
  /** `unix://` or `tcp://`; the engine's usual socket unless said. */
  dockerHost?: string;
  installation: string;
  version: string;
  /** Folder of the containers' sockets: the same path for the runtime and the engine. */
  socketBasePath: string;
  /** `docker-default` where the engine has AppArmor, unless said. */
  apparmorProfile?: string;
  /** How long a container may take from its start until its agent listens. 30 unless said. */
  agentReadySeconds?: number;
  /** `uid:gid` in the containers. 1000, or 10001 where the runtime itself is 1000, unless said. */
  user?: string;
  /**
   * `workspace-base` of this installation: has our port program, for containers that run a program of another image, and
   * reads and writes the files of volumes. Without it there are no volumes.
   */
  helperImage?: string;
}

const MAX_LOG_LINES = 10_000;

/** Containers of a Docker engine on this machine. */
export class DockerBackend implements ContainerBackend {
  readonly kind = 'docker';
  readonly volumes: DockerVolumes | undefined;
  readonly capabilities = { pause: true, stats: true, isolates: true };

  readonly #options: DockerBackendOptions;
  readonly #user: User;
  readonly #engine: EngineClient;
  readonly #apps: DockerApps;
  readonly #turns = new Turns();
  #features: EngineFeatures | undefined;
  #clearedStaleFolders = false;

  constructor(options: DockerBackendOptions) {
    requireShortBase(options.socketBasePath);
    this.#options = options;
    this.#user = parseUser(options.user ?? defaultUser());
    this.#engine = new EngineClient(options.dockerHost);
    const { installation } = options;
    this.#apps = new DockerApps({ engine: this.#engine, installation, folderOf: (id) => this.#folder(id) });
    this.volumes = options.helperImage === undefined ? undefined : this.#openVolumes(options.helperImage);
  }

  async create(spec: ContainerSpec, signal?: AbortSignal): Promise<void> {
    if (isAppSpec(spec))
      return this.#turns.create(spec.id, signal, (attempt) => this.#createApp(spec, attempt));
    if (spec.role !== 'conversation' || isApp(spec.id)) {
      const what = `${spec.id} of role ${spec.role}${spec.app === undefined ? '' : ' with a port'}`;
      throw new BerthError('NOT_SUPPORTED', `the docker backend makes no container ${what}`);
    }
    await this.#turns.create(spec.id, signal, async (attempt) => {
      // Nothing is made without its folder, and asking the engine takes its time while it starts others.
      if ((await this.#folder(spec.id).exists()) && (await this.#isThere(spec))) return;
      await new ContainerCreation(this.#engine, spec, await this.#creationSettings(spec), attempt).run();
    });
  }

  async destroy(
    id: ContainerId,
    { stopSeconds = 0, engineId }: { stopSeconds?: number; engineId?: string } = {},
  ): Promise<void> {
    await this.#turns.destroy(id, async () => {
      if (isApp(id)) return this.#asking(id, () => this.#apps.destroy(id, stopSeconds, engineId));
      const found = await this.#inspect(id);
      if (found !== undefined) {
        if (!this.#isOurs(found) || (engineId ?? found.Id) !== found.Id) return;
        await removeContainer(this.#engine, found.Id, stopSeconds);
      }
      await this.#folder(id).remove();
    });
  }

  async inspect(id: ContainerId): Promise<ContainerView | undefined> {
    if (isApp(id)) return this.#asking(id, () => this.#apps.inspect(id));
    const found = await this.#inspect(id);
    return found && toView(found, this.#options.installation);
  }

  async list(role: Role): Promise<ContainerView[]> {
    const { installation } = this.#options;
    return this.#asking('a list', async () => {
      await this.#clearStaleFolders();
      if (role !== 'conversation') return this.#apps.list(role);
      const found = await this.#engine.list({ [LABEL.installation]: installation, [LABEL.role]: role });
      return toViews(found, installation);
    });
  }

  async logs(id: ContainerId, { tail }: { tail: number }): Promise<string> {
    return this.#on(id, ({ Id }) => this.#engine.logs(Id, Math.min(tail, MAX_LOG_LINES)));
  }

  async pause(id: ContainerId): Promise<void> {
    await this.#on(id, async ({ Id, State }) => {
      if (State.Status !== 'paused') await this.#engine.pause(Id);
    });
  }

  async resume(id: ContainerId): Promise<void> {
    await this.#on(id, async ({ Id, State }) => {
      if (State.Status !== 'running') await this.#engine.unpause(Id);
    });
  }

  async stats(id: ContainerId): Promise<ContainerStats> {
    return this.#on(id, async (found) => toStats(await this.#engine.stats(found.Id), found));
  }

  async endpoint(id: ContainerId, port: number | 'agent' | 'proxy'): Promise<Endpoint> {
    const folder = this.#folder(id);
    if (port === 'proxy') return { kind: 'socket', path: folder.proxySocket };
    if (isApp(id) === (port === 'agent'))
      throw new BerthError(
        'NOT_SUPPORTED',
        `${id} has no ${port === 'agent' ? port : `port ${port}`} to dial`,
      );
    return { kind: 'socket', path: folder.agentSocket };
  }

  async hasImage(image: string): Promise<boolean> {
    return this.#asking(image, () => this.#engine.hasImage(image));
  }

  async pullImage(image: string, onProgress: (line: string) => void): Promise<void> {
    await pullImage(this.#engine, image, onProgress);
  }

  async clearUp(): Promise<void> {
    await this.#asking('what is left', () => this.#apps.clearUp());
  }

  async ping(): Promise<void> {
    await this.#asking('a ping', () => this.#engine.ping());
  }

  async close(): Promise<void> {
    this.#turns.close();
    await this.#apps.close();
    this.volumes?.close();
    this.#engine.close();
  }

  #openVolumes(image: string): DockerVolumes {
    const { installation, version, apparmorProfile } = this.#options;
    const features = () => this.#engineFeatures();
    return new DockerVolumes(this.#engine, { installation, version, apparmorProfile, image, features });
  }

  /** Whether the container is whole. What is left of an earlier attempt is removed: user code may have run in it. */
  async #isThere(spec: ContainerSpec): Promise<boolean> {
    const found = await this.#inspect(spec.id);
    if (found === undefined) return false;
    if (ownRole(found.Config.Labels, this.#options.installation) !== spec.role) {
      throw new BerthError('CONTAINER_CREATE_FAILED', takenBy(spec.id, found.Config.Labels));
    }
    if (isAlive(found) && (await this.#folder(spec.id).hasAgent())) return true;
    await removeContainer(this.#engine, found.Id, 0);
    return false;
  }

  async #createApp(spec: AppContainerSpec, attempt: AbortController): Promise<void> {
    const portImage = this.#options.helperImage ?? `workspace-base:${this.#options.version}`;
    const settings = { ...(await this.#creationSettings(spec)), portImage };
    await this.#asking(spec.id, () => this.#apps.create(spec, settings, attempt));
  }

  async #creationSettings({ id }: ContainerSpec): Promise<CreationSettings> {
    const features = await this.#engineFeatures();
    return { ...this.#options, user: this.#user, folder: this.#folder(id), features };
  }

  async #on<T>(id: ContainerId, act: (container: InspectReply) => Promise<T>): Promise<T> {
    const found = await this.#inspect(id);
    if (found === undefined || !this.#isOurs(found)) {
      throw new BerthError('CONTAINER_NOT_FOUND', `there is no container ${id}`);
    }
    try {
      return await act(found);
    } catch (error) {
      if (isRefusal(error, 409, 500) && !isAlive(await this.#inspect(found.Id))) {
        throw new BerthError('CONTAINER_NOT_FOUND', `container ${id} does not run`, {}, error);
      }
      throw callFailure(error, id);
    }
  }

  async #inspect(container: string): Promise<InspectReply | undefined> {
    return this.#asking(container, () => this.#engine.inspect(container));
  }

  /** A refusal that nobody expects, in our words. */
  async #asking<T>(about: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw callFailure(error, about);
    }
  }

  #isOurs(found: InspectReply): boolean {
    return ownRole(found.Config.Labels, this.#options.installation) !== undefined;
  }

  #folder(id: ContainerId): SocketFolder {
    return new SocketFolder(this.#options.socketBasePath, id);
  }

  async #engineFeatures(): Promise<EngineFeatures> {
    this.#features ??= toFeatures(await this.#engine.info());
    return this.#features;
  }

  /** Once is enough: only a crash leaves folders behind, and a start follows it. */
  async #clearStaleFolders(): Promise<void> {
    if (this.#clearedStaleFolders) return;
    await removeStaleFolders(this.#options.socketBasePath, async () => {
      const names = (await this.#engine.list({})).flatMap((row) => row.Names);
      return names.flatMap((name) => parseAnyContainerId(containerOf(name.slice(1))) ?? []);
    });
    this.#clearedStaleFolders = true;
  }
}

function isAppSpec(spec: ContainerSpec): spec is AppContainerSpec {
  return spec.app !== undefined && isApp(spec.id) && spec.role === roleOfContainer(spec.id);
}

function isAlive(found: InspectReply | undefined): boolean {
  return found?.State.Status === 'running' || found?.State.Status === 'paused';
}

function defaultUser(): string {
  const uid = process.getuid?.() === SANDBOX_UID ? SANDBOX_UID_BESIDE_RUNTIME : SANDBOX_UID;
  return `${uid}:${uid}`;
}

function parseUser(text: string): User {
  const [, uid, gid] = /^(\d+):(\d+)$/.exec(text) ?? [];
  if (uid === undefined || gid === undefined) throw new BerthError('INTERNAL', `${text} is not uid:gid`);
  return { uid: Number(uid), gid: Number(gid) };
}
