import type { ContainerId, VolumeName } from '../contracts/ids.ts';
import type { Role } from '../contracts/labels.ts';
import type { BackendName } from '../contracts/variable.ts';
import type { VolumeBackend } from './volume-backend.ts';

/**
 * What runs containers. Calls throw `BACKEND_UNAVAILABLE` when the engine can't be reached. Ids are ours.
 * Nothing whose installation and role labels are not ours is ever reused, changed or removed.
 */
export interface ContainerBackend {
  readonly kind: BackendKind;
  readonly capabilities: Capabilities;
  /** None: this backend keeps no files, so there are no workspaces on it. */
  readonly volumes: VolumeBackend | undefined;

  /**
   * Creates and starts; resolves once the endpoint can be dialled. The same id again is the same container.
   * A create that fails half way leaves nothing behind. Throws `CONTAINER_CREATE_FAILED`,
   * `IMAGE_PULL_FAILED`, `START_TIMEOUT`, and for one with a volume that is not there `VOLUME_NOT_FOUND`.
   */
  create(spec: ContainerSpec, signal?: AbortSignal): Promise<void>;

  /**
   * Asks it to stop, kills it after `stopSeconds` (0: at once), removes it and what belongs to it. Absent: fine.
   * With `engineId`: only that very one. Another that has its name by now is left alone.
   */
  destroy(id: ContainerId, options?: { stopSeconds?: number; engineId?: string }): Promise<void>;

  /** Undefined: the backend has no such container. */
  inspect(id: ContainerId): Promise<ContainerView | undefined>;

  /** One that exited may be missing here where nothing of it is left to remove. */
  list(role: Role): Promise<ContainerView[]>;

  /** The last lines of its output, at most 1 MiB. Absent: throws `CONTAINER_NOT_FOUND`. */
  logs(id: ContainerId, options: { tail: number }): Promise<string>;

  /** Absent: throws `CONTAINER_NOT_FOUND`. */
  pause(id: ContainerId): Promise<void>;
  resume(id: ContainerId): Promise<void>;
  stats(id: ContainerId): Promise<ContainerStats>;

  /**
   * Where the agent, or a port of the container, is dialled; or its egress proxy: a socket where the container looks
   * for one, which is there to listen once the container is created, or the admin address of one beside it. Without a
   * call to the engine, apart from a container that nobody here has heard of. Throws `CONTAINER_NOT_FOUND`.
   * With `engineId`: that very one's, where another of its name has another.
   */
  endpoint(
    id: ContainerId,
    port: number | 'agent' | 'proxy',
    options?: { engineId?: string },
  ): Promise<Endpoint>;

  /** For containers of this role; conversations' unless said. */
  hasImage(image: string, role?: Role): Promise<boolean>;

  /** Gets it from its registry. Throws `IMAGE_PULL_FAILED`. */
  pullImage(image: string, onProgress: (line: string) => void): Promise<void>;

  /** Removes what was made ahead, and is no container yet: for an installation that is cleared away. */
  clearUp?(): Promise<void>;

  /** Throws `BACKEND_UNAVAILABLE` when the engine doesn't answer. */
  ping(): Promise<void>;

  close(): Promise<void>;
}

export type BackendKind = BackendName;

export interface Capabilities {
  pause: boolean;
  stats: boolean;
  /** Whether user code is kept from the host's files, processes and network. */
  isolates: boolean;
  /** A container takes tens of seconds to start: what is ready before it is to be had is taken instead. */
  startsSlowly?: boolean;
  /** A container takes tens of seconds to end, and can do nothing meanwhile that matters. */
  endsSlowly?: boolean;
}

export interface ContainerSpec {
  id: ContainerId;
  role: Role;
  image: string;
  env: Record<string, string>;
  /** Of the egress proxy beside it, on backends where it has one. */
  proxyEnv?: Record<string, string>;
  /** Beside those that every container gets. */
  labels: Record<string, string>;
  limits: Limits;
  network: 'none';
  /** One that runs no agent of ours, but a program of its image that listens on a port. */
  app?: AppSpec;
}

/**
 * Once such a container is created it is known where its port is dialled, whether or not the program listens yet, or has
 * ended already. It reaches nothing but its egress proxy, at the address that its `HTTP_PROXY` tells. `PORT` tells it where
 * to listen: on loopback at least.
 */
export interface AppSpec {
  port: number;
  /** As `uid:gid`; the image's own unless said. */
  user?: string;
  volume?: { name: VolumeName; mount: string };
  /** What it is sure to have of what it may use. */
  reservations?: Pick<Limits, 'cpus' | 'memoryBytes'>;
  readOnlyRoot: boolean;
}

export interface Limits {
  cpus: number;
  memoryBytes: number;
  pids: number;
}

export interface ContainerView {
  id: ContainerId;
  role: Role;
  /** The engine's own id. */
  engineId: string;
  /** `running` only when all of it runs: also what makes its port reachable. */
  state: 'created' | 'running' | 'paused' | 'exited';
  createdAt: number;
  labels: Record<string, string>;
  /** Of one that exited. */
  exit?: { code: number; oomKilled: boolean /** Where the backend knows. */; at?: number };
}

export interface ContainerStats {
  memoryBytes: number;
  memoryLimitBytes: number;
  cpuNanoseconds: number;
  pids: number;
  /** How often a process in it was killed for want of memory, as far as the backend counts. */
  oomEvents: number;
}

export type Endpoint = { kind: 'socket'; path: string } | { kind: 'address'; host: string; port: number };
