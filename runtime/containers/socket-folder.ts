import { createHash } from 'node:crypto';
import type { Stats } from 'node:fs';
import { chmod, chown, lstat, mkdir, rename } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BerthError } from '../contracts/errors.ts';
import type { ContainerId } from '../contracts/ids.ts';
import { requireOwnFolder } from './own-folder.ts';
import { removeTree } from './remove-tree.ts';

/** Where a container finds its sockets, whatever the backend. */
export const AGENT_MOUNT = '/berth/agent';
export const PROXY_MOUNT = '/berth/proxy';
export const AGENT_SOCKET_NAME = 'agent.sock';
export const PROXY_SOCKET_NAME = 'proxy.sock';

/** The kernel takes socket paths up to this many bytes. */
const SOCKET_PATH_BYTES = 107;
const LONGEST_NAME = 'ws-0123456789ab';
/** Longest path of a folder for sockets: below it come a container's folder, one in that, and a socket. */
export const MAX_BASE_BYTES = SOCKET_PATH_BYTES - `/${LONGEST_NAME}/agent/${AGENT_SOCKET_NAME}`.length;
const POLL_MS = 10;

export interface User {
  uid: number;
  gid: number;
}

/** Throws when the sockets of containers would not fit below the base. */
export function requireShortBase(base: string): void {
  const bytes = Buffer.byteLength(base);
  if (bytes <= MAX_BASE_BYTES) return;
  const wants = `WORKSPACE_SOCKET_BASE_PATH wants a path of at most ${MAX_BASE_BYTES} bytes`;
  throw new BerthError(
    'INTERNAL',
    `${wants}, as a socket's path has ${SOCKET_PATH_BYTES}; ${base} has ${bytes}`,
  );
}

const FOLDER_NAME = /^(ws-[a-z0-9-]{1,12}|~[0-9a-f]{14})$/;

/** The name of a container's folder: its id, or of a long one a hash, with a mark that no id has. */
export function socketFolderName(id: ContainerId): string {
  if (id.length <= LONGEST_NAME.length) return id;
  return `~${createHash('sha256').update(id).digest('hex').slice(0, 14)}`;
}

export function isSocketFolderName(name: string): boolean {
  return FOLDER_NAME.test(name);
}

/**
 * The folder of one container's sockets. Only the runtime's user can look inside:
 * - `agent/` is the container's: its agent binds `agent.sock` there;
 * - `proxy/` is the container's to read: the egress proxy listens there;
 * - `agent.sock` is the agent's socket, moved to where the container can't reach it. It is there only when whole.
 */
export class SocketFolder {
  readonly path: string;
  readonly agentFolder: string;
  readonly proxyFolder: string;
  readonly agentSocket: string;
  readonly proxySocket: string;
  readonly #base: string;

  constructor(base: string, id: ContainerId) {
    this.#base = base;
    this.path = join(base, socketFolderName(id));
    this.agentFolder = join(this.path, 'agent');
    this.proxyFolder = join(this.path, 'proxy');
    this.agentSocket = join(this.path, AGENT_SOCKET_NAME);
    this.proxySocket = join(this.proxyFolder, PROXY_SOCKET_NAME);
  }

  /** Makes it anew, with `agent/` writable by the container's user: undefined where its uid on the host is not known. */
  async prepare(writer: User | undefined): Promise<void> {
    await this.#requireBase();
    await this.remove();
    await this.ensure(writer);
  }

  /** As `prepare`, but leaves what is there: for whoever does not know yet that the container's name is theirs. */
  async ensure(writer: User | undefined): Promise<void> {
    await this.#requireBase();
    // Modes are set apart from the making: a umask must not narrow them.
    for (const [path, mode] of [
      [this.path, 0o700],
      [this.agentFolder, 0o700],
      [this.proxyFolder, 0o755],
    ] as const) {
      await mkdir(path, { recursive: true });
      await chmod(path, mode);
    }
    const runtime = process.getuid?.();
    if (writer !== undefined && runtime === 0) await chown(this.agentFolder, writer.uid, writer.gid);
    else if (writer?.uid !== runtime) await chmod(this.agentFolder, 0o777);
  }

  /** Takes away what an earlier container of this name listened on. */
  async clearAgentSockets(): Promise<void> {
    for (const path of [this.agentSocket, join(this.agentFolder, AGENT_SOCKET_NAME)]) await removeTree(path);
  }

  async exists(): Promise<boolean> {
    return (await statOf(this.path)) !== undefined;
  }

  /** Whether the agent's socket has been moved, and so the container was whole once. */
  async hasAgent(): Promise<boolean> {
    return (await statOf(this.agentSocket))?.isSocket() === true;
  }

  /**
   * Waits for the agent to listen, closes `agent/` to the container and moves the socket out of its sight.
   * Must be done before any user code runs. Throws `START_TIMEOUT`, or the signal's reason.
   */
  async takeAgentSocket(owner: User | undefined, seconds: number, signal: AbortSignal): Promise<void> {
    const late = AbortSignal.timeout(seconds * 1000);
    try {
      await this.#take(owner, AbortSignal.any([signal, late]));
    } catch (error) {
      if (error !== late.reason) throw error;
      throw new BerthError('START_TIMEOUT', `the agent was not ready within ${seconds} s`, {}, error);
    }
  }

  async #take(owner: User | undefined, signal: AbortSignal): Promise<void> {
    const bound = join(this.agentFolder, AGENT_SOCKET_NAME);
    while ((await statOf(bound)) === undefined) await pause(signal);
    await this.#closeAgentFolder();
    await rename(bound, this.agentSocket);
    await chmod(this.agentFolder, 0o555);
    const moved = await statOf(this.agentSocket);
    if (!moved?.isSocket() || (owner !== undefined && moved.uid !== owner.uid)) {
      await removeTree(this.agentSocket);
      throw new BerthError(
        'CONTAINER_CREATE_FAILED',
        'what came in the place of agent.sock is no socket of the agent',
      );
    }
    while (!(await acceptsConnections(this.agentSocket))) await pause(signal);
    signal.throwIfAborted();
  }

  async #requireBase(): Promise<void> {
    await mkdir(this.#base, { recursive: true, mode: 0o700 });
    await requireOwnFolder(this.#base, 'WORKSPACE_SOCKET_BASE_PATH');
  }

  /** Nothing relies on this: with the runtime's own uid the container could open it again. */
  async #closeAgentFolder(): Promise<void> {
    if (process.getuid?.() === 0) await chown(this.agentFolder, 0, 0);
    await chmod(this.agentFolder, 0o755);
  }

  /** In its place from then on, with all that is in it. Who has it mounted still does. */
  async moveTo(other: SocketFolder): Promise<void> {
    await other.remove();
    await rename(this.path, other.path);
  }

  async remove(): Promise<void> {
    await removeTree(this.path);
  }
}

async function pause(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await sleep(POLL_MS);
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** False between the agent's bind and its listen. */
export async function acceptsConnections(path: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const socket = connect(path, () => resolve(true));
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED') resolve(false);
    else
      reject(
        new BerthError(
          'CONTAINER_CREATE_FAILED',
          `the agent's socket can't be used: ${error.message}`,
          {},
          error,
        ),
      );
  });
  return promise.finally(() => socket.destroy());
}
