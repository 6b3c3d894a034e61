import type { Container, Conversation, Workspace } from '../../client/api.ts';

export interface Running {
  kind: 'conversation' | 'workspace' | 'function' | 'warm' | 'container';
  name: string;
  tenant: string | undefined;
  status: string;
  container: string;
  createdAt: string;
  /** When it ends, or stands by, if nothing is done with it. */
  until: string | number | null;
}

export interface Seen {
  conversations: readonly Conversation[];
  workspaces: readonly Workspace[];
  /** Undefined: this key may not see them. */
  containers: readonly Container[] | undefined;
}

const ORDER: Record<Running['kind'], number> = {
  conversation: 0,
  workspace: 1,
  function: 2,
  warm: 3,
  container: 4,
};

/** What runs, as far as the key may see it: containers where it may, else what belongs to its tenant. */
export function whatRuns({ conversations, workspaces, containers }: Seen): Running[] {
  const own = new Map(workspaces.map((workspace) => [workspace.id, workspace]));
  const found = containers?.map((container) => ofContainer(container, own)) ?? [
    ...conversations.map(ofConversation),
    ...workspaces.filter(isUp).map(ofWorkspace),
  ];
  return found.sort((a, b) => ORDER[a.kind] - ORDER[b.kind] || (a.name < b.name ? -1 : 1));
}

function ofConversation(record: Conversation): Running {
  return {
    kind: 'conversation',
    name: record.conversation_id,
    tenant: record.tenant_id,
    status: record.status,
    container: record.container_id,
    createdAt: record.created_at,
    until: record.expires_at,
  };
}

function ofWorkspace(workspace: Workspace): Running {
  return {
    kind: 'workspace',
    name: workspace.id,
    tenant: undefined,
    status: (workspace.operation === 'NONE' ? workspace.observed_status : workspace.operation).toLowerCase(),
    container: `ws-${workspace.id}`,
    createdAt: workspace.created_at,
    until: standsByAt(workspace),
  };
}

function isUp({ observed_status, operation }: Workspace): boolean {
  return observed_status === 'RUNNING' || operation !== 'NONE';
}

/** When it stops by itself; null where it does not run. */
export function standsByAt({
  observed_status,
  last_access_at,
  standby_ttl_seconds,
}: Workspace): number | null {
  return observed_status === 'RUNNING' ? Date.parse(last_access_at) + standby_ttl_seconds * 1000 : null;
}

function ofContainer(container: Container, workspaces: ReadonlyMap<string, Workspace>): Running {
  const { owner, state, container_id, created_at, expires_at } = container;
  const all = { container: container_id, createdAt: created_at, until: expires_at };
  if (owner === 'warm') return { kind: 'warm', name: '-', tenant: undefined, status: 'warm', ...all };
  if (owner === null || typeof owner === 'string')
    return { kind: 'container', name: '-', tenant: undefined, status: owner ?? 'no owner', ...all };
  const { tenant } = owner;
  if ('conversation_id' in owner)
    return { kind: 'conversation', name: owner.conversation_id, tenant, status: owner.status, ...all };
  if ('function_name' in owner)
    return { kind: 'function', name: owner.function_name, tenant, status: state, ...all };
  const workspace = workspaces.get(owner.workspace_id);
  const until = expires_at ?? (workspace === undefined ? null : standsByAt(workspace));
  return { kind: 'workspace', name: owner.workspace_id, tenant, status: state, ...all, until };
}
