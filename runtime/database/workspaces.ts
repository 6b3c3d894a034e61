import type { Instant } from '../contracts/conversation-record.ts';
import type { TenantId, WorkspaceId } from '../contracts/ids.ts';
import type { OperationKind, WorkspaceRow, WorkspaceState } from './workspace-row.ts';

/** `stale`: the row has moved on, and nothing was written. */
export type Written = 'done' | 'stale';

/**
 * The workspaces table, by who may write what: each column has one writer, and each writer gets only its own part.
 * Every write is one step, names what it goes by, and is refused when that has moved on. Times are the database's.
 */
export interface Workspaces {
  readonly reads: WorkspaceReads;
  readonly api: ApiWrites;
  readonly proxy: ProxyWrites;
  readonly ttl: TtlWrites;
  readonly monitor: MonitorWrites;
  readonly reconciler: ReconcilerWrites;
}

export interface WorkspaceReads {
  /** Deleted ones, too. */
  get(id: WorkspaceId): Promise<WorkspaceRow | undefined>;

  /** In order of id, without deleted ones. */
  list(tenant: TenantId, page: { limit: number; after?: WorkspaceId }): Promise<WorkspaceRow[]>;

  /** What the monitor compares with what there is: all that are not deleted. */
  observed(): Promise<ObservedWorkspace[]>;

  /** Those that were seen RUNNING. */
  running(): Promise<WorkspaceId[]>;

  /** How many of each tenant are in which state, and those that are in error, as their users see them. */
  census(): Promise<WorkspaceCensus>;

  /** Under way, or apart from what is wanted and due to be brought there. Those that failed least come first. */
  unsettled(limit: number): Promise<WorkspaceRow[]>;
}

export interface WorkspaceCensus {
  counts: { tenant: TenantId; status: WorkspaceState | 'ERROR'; count: number }[];
  /** The first fifty of each tenant by their id. */
  inError: { tenant: TenantId; id: WorkspaceId; code: string; message: string }[];
}

export type ObservedWorkspace = Pick<
  WorkspaceRow,
  'id' | 'observedStatus' | 'observedIncarnation' | 'operation'
>;

export interface NewWorkspace {
  id: WorkspaceId;
  tenant: TenantId;
  keyName: string;
  name: string | null;
  imageRef: string;
  standbyTtlSeconds: number | null;
  archiveTtlSeconds: number | 'never' | null;
  desiredState: WorkspaceState;
}

/** Most that are wanted RUNNING: in all, and of those that one key made. */
export interface RunningLimits {
  all: number;
  ofKey: number;
  /** Most workspaces of a tenant, in any state; none = no limit. */
  ofTenant?: number;
}

export type Refused =
  | { kind: 'no-room'; limit: number; used: number }
  | { kind: 'over-quota'; limit: number; used: number };

export type Desired =
  | { kind: 'done'; row: WorkspaceRow }
  | { kind: 'missing' }
  | { kind: 'deleting' }
  | Refused;

/** What may be changed at any time. */
export type Settings = Partial<
  Pick<WorkspaceRow, 'name' | 'imageRef' | 'standbyTtlSeconds' | 'archiveTtlSeconds'>
>;

/** A user's words. */
export interface ApiWrites {
  /** `exists`: the id was used before, by whomever, and be it deleted. */
  create(
    workspace: NewWorkspace,
    limits: RunningLimits,
  ): Promise<{ kind: 'done'; row: WorkspaceRow } | { kind: 'exists' } | Refused>;

  change(tenant: TenantId, id: WorkspaceId, settings: Settings): Promise<Desired>;

  /** The same state again is a word all the same: what failed is tried anew, and TTLs begin anew. */
  desire(tenant: TenantId, id: WorkspaceId, state: WorkspaceState, limits: RunningLimits): Promise<Desired>;

  /** Clears an error, by saying again what was wanted. */
  retry(tenant: TenantId, id: WorkspaceId): Promise<Desired>;

  requestDelete(tenant: TenantId, id: WorkspaceId): Promise<Desired>;
}

export interface ProxyWrites {
  /** Somebody comes: RUNNING is wanted. A new word only where it was not. */
  wake(id: WorkspaceId, limits: RunningLimits): Promise<Desired>;

  /** A first connection is a word of the user. */
  connected(id: WorkspaceId): Promise<void>;

  /** Now, unless it was within the last minute. */
  accessed(id: WorkspaceId): Promise<void>;
}

export interface TtlWrites {
  /** RUNNING, left alone, and not accessed for as long as its standby TTL. */
  quietRunning(defaultSeconds: number): Promise<QuietWorkspace[]>;

  /** STANDBY, left alone, and not accessed for as long as its archive TTL. */
  quietStandby(defaultSeconds: number): Promise<QuietWorkspace[]>;

  /** RUNNING → STANDBY is wanted, unless the user has spoken, or somebody came, since it was read. */
  standby(seen: QuietWorkspace): Promise<Written>;

  /** STANDBY → PENDING, likewise. */
  archive(seen: QuietWorkspace): Promise<Written>;
}

export interface QuietWorkspace {
  id: WorkspaceId;
  desiredVersion: number;
  lastAccessAt: Instant;
}

export interface MonitorWrites {
  /** What there is, looked at no earlier than `since`. An older look than the last one changes nothing. */
  observe(id: WorkspaceId, seen: Observation, since: Instant): Promise<Written>;
}

export interface Observation {
  status: WorkspaceState;
  /** The engine's own id of its container. */
  incarnation: string | null;
}

/** The operation that a write belongs to. */
export interface OperationName {
  workspace: WorkspaceId;
  opId: string;
}

export interface NewOperation extends OperationName {
  kind: OperationKind;
  owner: string;
  incarnation: string | null;
  /** Of ARCHIVING. */
  pendingArchiveKey: string | null;
}

export interface OperationFailure {
  code: string;
  message: string;
  /** Failures in a row, with this one. */
  count: number;
  terminal: boolean;
  retrySeconds: number;
  /** The word that was being carried out: a later one is tried anew. */
  desiredVersion: number;
}

export interface ReconcilerWrites {
  /** Begins an operation on a row that still is as it was read: none under way, the same word, the same status. */
  claim(seen: WorkspaceRow, operation: NewOperation): Promise<WorkspaceRow | undefined>;

  /** Goes on with one whose heart has not beaten for `silentSeconds`, under another id. */
  takeOver(
    seen: WorkspaceRow,
    operation: NewOperation,
    silentSeconds: number,
  ): Promise<WorkspaceRow | undefined>;

  beat(name: OperationName): Promise<Written>;

  /** How far it is, for people; its heart beats, too. */
  progress(name: OperationName, words: string): Promise<Written>;

  /**
   * The archive that this operation wrote and read back is the workspace's, and its volume counts no more. The one
   * before is unwanted from now on.
   */
  commitArchive(name: OperationName): Promise<Written>;

  /** Over, and nothing is wrong. `stopped`: its user was there until now. `homeFrom`: its volume is whole. */
  finish(name: OperationName, how?: { stopped?: boolean; homeFrom?: string }): Promise<Written>;

  /** Over with an error; it is due again in `retrySeconds`, or never by itself. */
  fail(name: OperationName, error: OperationFailure): Promise<Written>;

  /** Left to whoever comes first, at once. */
  release(name: OperationName): Promise<Written>;

  /** Nothing of it is left, but its archives for a while. */
  deleted(name: OperationName): Promise<Written>;

  /** Archives that nobody has wanted for so long. */
  unwantedArchives(seconds: number, limit: number): Promise<string[]>;

  /** The archive is gone. */
  forgetArchive(key: string): Promise<void>;
}
