/** Labels on everything that Berth makes in a backend. Lists filter by installation and role. */
export const LABEL = {
  installation: 'berth.installation',
  role: 'berth.role',
  createdAt: 'berth.created-at',
  version: 'berth.version',
  tenant: 'berth.tenant',
  workspace: 'workspace',
  containerId: 'workspace.container_id',
  conversationId: 'workspace.conversation_id',
  workspaceId: 'codehub.io/workspace-id',
  function: 'berth.function',
  /** On what serves a container or a volume beside it: what it is, and whose. */
  part: 'berth.part',
  partOf: 'berth.part-of',
} as const;

export type Role = 'conversation' | 'workspace' | 'function';
