import type { Instant } from '../contracts/conversation-record.ts';
import type { TenantId, WorkspaceId } from '../contracts/ids.ts';

export const WORKSPACE_STATES = ['PENDING', 'STANDBY', 'RUNNING'] as const;
/** PENDING: nothing, or an archive. STANDBY: a volume. RUNNING: a volume and a container. */
export type WorkspaceState = (typeof WORKSPACE_STATES)[number];

export const OPERATIONS = [
  'PROVISIONING',
  'RESTORING',
  'STARTING',
  'STOPPING',
  'ARCHIVING',
  'DELETING',
] as const;
export type OperationKind = (typeof OPERATIONS)[number];

/** A workspace as the database has it: what is wanted, what was seen, and what is being done about it. */
export interface WorkspaceRow {
  id: WorkspaceId;
  tenant: TenantId;
  /** Name of the key that made it. */
  keyName: string;
  createdAt: Instant;

  name: string | null;
  imageRef: string;
  /** None: the service's own. */
  standbyTtlSeconds: number | null;
  archiveTtlSeconds: number | 'never' | null;
  deleteRequestedAt: Instant | null;

  desiredState: WorkspaceState;
  /** Grows at every word of the user, at a first connection and at a wake. */
  desiredVersion: number;
  /** The word that stood when its quiet put it to STANDBY; void once there is another. */
  restedVersion: number | null;

  observedStatus: WorkspaceState;
  observedAt: Instant | null;
  /** The engine's own id of the container that was seen. */
  observedIncarnation: string | null;
  lastAccessAt: Instant;

  operation: Operation | null;
  /** What was observed when the last operation began. */
  previousStatus: WorkspaceState | null;
  archiveKey: string | null;
  /**
   * What its volume was filled with: the key of an archive, or `NOTHING`. None: no volume of it is whole, so one that
   * is there is only half made, or archived already.
   */
  homeFrom: string | null;
  error: WorkspaceError | null;
  deletedAt: Instant | null;
}

/** Where the home of a workspace begins. */
export const NOTHING = 'nothing';

export interface Operation {
  kind: OperationKind;
  /** Another one whenever somebody else goes on with it: what the one before still does is refused. */
  id: string;
  owner: string;
  /** The engine's own id of the container that there was when it began. */
  incarnation: string | null;
  startedAt: Instant;
  heartbeatAt: Instant;
  /** How far it is, for people. */
  progress: string | null;
  /** Where ARCHIVING writes to. */
  pendingArchiveKey: string | null;
}

export interface WorkspaceError {
  code: string;
  message: string;
  /** Failures in a row. */
  count: number;
  /** It is not tried again by itself. */
  terminal: boolean;
  at: Instant;
  /** The user's word that could not be carried out: a later one is tried anew. */
  desiredVersion: number;
  retryAt: Instant | null;
}
