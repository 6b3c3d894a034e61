import { Agent } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Endpoint } from '../../containers/container-backend.ts';
import type { WorkspaceId } from '../../contracts/ids.ts';
import type { RunningWorkspace } from '../../workspaces/running-workspace.ts';

const CONNECT_MS = 5_000;
/** Shorter than servers wait commonly, so that a kept connection is seldom one that was just closed. */
const KEPT_IDLE_MS = 4_000;
/** A peer that is gone without a word is noticed. */
export const PROBE_MS = 30_000;
const KEPT_AT_MOST = 32;

/** The connections to one incarnation of a workspace. */
export interface Upstream {
  incarnation: string;
  endpoint: Endpoint;
  agent: ContainerAgent;
  /** Those that were taken over by a WebSocket. */
  tunnels: Set<Socket>;
}

/** Connections to containers. Each belongs to the incarnation that it was made to, and is never used for another. */
export class Upstreams {
  readonly #byWorkspace = new Map<WorkspaceId, Upstream[]>();

  /** Idle connections to any other incarnation are closed; a row that is a second old may still lead to that one. */
  of(id: WorkspaceId, { incarnation, endpoint }: RunningWorkspace): Upstream {
    const known = this.#byWorkspace.get(id) ?? [];
    const found = known.find((each) => each.incarnation === incarnation && same(each.endpoint, endpoint));
    if (found !== undefined && known.length === 1) return found;
    for (const other of known) if (other !== found) other.agent.retire();
    found?.agent.keep();
    if (found !== undefined) return found;
    const made = { incarnation, endpoint, agent: new ContainerAgent(endpoint), tunnels: new Set<Socket>() };
    this.#byWorkspace.set(id, [...known, made]);
    return made;
  }

  workspaces(): WorkspaceId[] {
    return [...this.#byWorkspace.keys()];
  }

  /** Ends every connection to incarnations that are gone. `now`: the one that there is. */
  keepOnly(id: WorkspaceId, now: string | null): void {
    const kept = (this.#byWorkspace.get(id) ?? []).filter((upstream) => {
      if (upstream.incarnation === now) return true;
      end(upstream);
      return false;
    });
    if (kept.length === 0) this.#byWorkspace.delete(id);
    else this.#byWorkspace.set(id, kept);
  }

  close(): void {
    for (const id of this.workspaces()) this.keepOnly(id, null);
  }
}

/** Keeps connections to one endpoint, and opens them in bounded time. */
export class ContainerAgent extends Agent {
  readonly #endpoint: Endpoint;

  constructor(endpoint: Endpoint) {
    super({ keepAlive: true, timeout: KEPT_IDLE_MS, maxFreeSockets: KEPT_AT_MOST, scheduling: 'lifo' });
    this.#endpoint = endpoint;
  }

  override createConnection(): Socket {
    return open(this.#endpoint);
  }

  keep(): void {
    this.maxFreeSockets = KEPT_AT_MOST;
  }

  /** What is idle is closed now, what is in use once it is idle. */
  retire(): void {
    this.maxFreeSockets = 0;
    this.dropIdle();
  }

  dropIdle(): void {
    for (const sockets of Object.values(this.freeSockets))
      for (const socket of sockets ?? []) socket.destroy();
  }
}

function open(endpoint: Endpoint): Socket {
  const socket =
    endpoint.kind === 'socket'
      ? connect({ path: endpoint.path })
      : connect({ host: endpoint.host, port: endpoint.port });
  const late = setTimeout(() => socket.destroy(new Error('it takes no connection')), CONNECT_MS);
  const over = () => clearTimeout(late);
  socket.once('connect', over).once('close', over);
  return socket.setNoDelay(true).setKeepAlive(true, PROBE_MS);
}

function end({ agent, tunnels }: Upstream): void {
  agent.destroy();
  for (const socket of tunnels) socket.destroy();
}

function same(one: Endpoint, other: Endpoint): boolean {
  if (one.kind === 'socket') return other.kind === 'socket' && one.path === other.path;
  return other.kind === 'address' && one.host === other.host && one.port === other.port;
}
