import type { Socket } from 'node:net';
import { ContainerAgent } from '../../containers/container-agent.ts';
import type { Endpoint } from '../../containers/container-backend.ts';
import type { WorkspaceId } from '../../contracts/ids.ts';
import type { RunningWorkspace } from '../../workspaces/running-workspace.ts';

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

function end({ agent, tunnels }: Upstream): void {
  agent.destroy();
  for (const socket of tunnels) socket.destroy();
}

function same(one: Endpoint, other: Endpoint): boolean {
  if (one.kind === 'socket') return other.kind === 'socket' && one.path === other.path;
  return other.kind === 'address' && one.host === other.host && one.port === other.port;
}
