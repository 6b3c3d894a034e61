import type { ContainerBackend, ContainerView } from '../containers/container-backend.ts';
import type { ConversationRecord, Instant } from '../contracts/conversation-record.ts';
import type { ContainerId } from '../contracts/ids.ts';
import { LABEL } from '../contracts/labels.ts';
import type { Place } from '../state/conversation-store.ts';
import type { State } from '../state/state.ts';
import { allRecords } from './all-records.ts';

/** Whose a container is; undefined: nobody's. `starting` and `stopping` belong to no conversation. */
export type ContainerOwner =
  | ConversationRecord
  | WorkspaceLabels
  | FunctionLabels
  | 'warm'
  | 'starting'
  | 'stopping'
  | undefined;

/** As the labels of its container have it. */
export interface WorkspaceLabels {
  tenant: string;
  workspace: string;
}

/** The same, of a worker. */
export interface FunctionLabels {
  tenant: string;
  function: string;
}

export interface InventoryEntry {
  container: ContainerView;
  owner: ContainerOwner;
  /** When it ends if nothing is done with it. */
  expiresAt: Instant | undefined;
}

interface Parts {
  state: Pick<State, 'conversations' | 'warmPool'>;
  backend: ContainerBackend;
  expiresAt: (record: ConversationRecord) => Instant;
  warmTtlSeconds: number;
}

/** Everything that the backend runs for this installation, and whose it is. */
export class ContainerInventory {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The oldest first. */
  async list(): Promise<InventoryEntry[]> {
    const { state, backend } = this.#parts;
    const [views, ofWorkspaces, ofFunctions] = await Promise.all([
      backend.list('conversation'),
      backend.list('workspace'),
      backend.list('function'),
    ]);
    const ids = new Set(views.map(({ id }) => id));
    const places = await state.conversations.places([...ids]);
    const records = new Map<ContainerId, ConversationRecord>();
    for await (const record of allRecords(state.conversations)) {
      if (ids.has(record.container)) records.set(record.container, record);
    }
    const { members, now } = await state.warmPool.look();
    const warmSince = new Map(members.map(({ container, createdAt }) => [container, createdAt]));
    const ofConversations = views.map((container) => {
      const owner = ownerOf(container, places.get(container.id), records.get(container.id), now);
      return { container, owner, expiresAt: this.#expiresAt(owner, warmSince.get(container.id)) };
    });
    const others = [
      ...ofWorkspaces.map((container) => ({ container, owner: workspaceOf(container) })),
      ...ofFunctions.map((container) => ({ container, owner: functionOf(container) })),
    ].map((entry) => ({ ...entry, expiresAt: undefined }));
    return [...ofConversations, ...others].toSorted(
      (one, other) => one.container.createdAt - other.container.createdAt,
    );
  }

  #expiresAt(owner: ContainerOwner, warmSince: Instant | undefined): Instant | undefined {
    if (typeof owner === 'object') return 'container' in owner ? this.#parts.expiresAt(owner) : undefined;
    return warmSince === undefined ? undefined : warmSince + this.#parts.warmTtlSeconds * 1000;
  }
}

function workspaceOf({ labels }: ContainerView): WorkspaceLabels | undefined {
  const { [LABEL.tenant]: tenant, [LABEL.workspaceId]: workspace } = labels;
  return tenant === undefined || workspace === undefined ? undefined : { tenant, workspace };
}

function functionOf({ labels }: ContainerView): FunctionLabels | undefined {
  const { [LABEL.tenant]: tenant, [LABEL.function]: name } = labels;
  return tenant === undefined || name === undefined ? undefined : { tenant, function: name };
}

const STARTING_MS = 60_000;

/** A reserved place without a record is either end of a life, and the store keeps no more: its age tells which. */
export function ownerOf(
  container: Pick<ContainerView, 'state' | 'createdAt'>,
  place: Place | undefined,
  record: ConversationRecord | undefined,
  now: Instant,
): ContainerOwner {
  if (record !== undefined) return record;
  if (place !== 'reserved') return place === 'warm' ? 'warm' : undefined;
  return container.state !== 'exited' && now - container.createdAt < STARTING_MS ? 'starting' : 'stopping';
}
