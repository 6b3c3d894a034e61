import type { WorkspaceId } from '../contracts/ids.ts';
import type { OperationKind, WorkspaceRow, WorkspaceState } from '../database/workspace-row.ts';

export type ShownStatus = WorkspaceState | 'ERROR' | 'DELETED';

/** A workspace as its users see it. */
export interface WorkspaceView {
  id: string;
  name: string | null;
  image_ref: string;
  observed_status: ShownStatus;
  desired_state: WorkspaceState;
  operation: OperationKind | 'NONE';
  /** What is being done right now, in words. */
  progress: string | null;
  /** Whether its home is in an archive. */
  archived: boolean;
  error: { code: string; message: string; count: number; terminal: boolean; at: string } | null;
  standby_ttl_seconds: number;
  /** null: never. */
  archive_ttl_seconds: number | null;
  created_at: string;
  last_access_at: string;
  delete_requested_at: string | null;
  url: string;
}

export interface ViewSettings {
  /** Where a workspace is reached. */
  urlOf: (id: WorkspaceId) => string;
  /** Where a workspace has none of its own. */
  standbySeconds: number;
  archiveSeconds: number;
}

export function workspaceView(row: WorkspaceRow, settings: ViewSettings): WorkspaceView {
  const { error, operation } = row;
  return {
    id: row.id,
    name: row.name,
    image_ref: row.imageRef,
    observed_status: shownStatus(row),
    desired_state: row.desiredState,
    operation: operation?.kind ?? 'NONE',
    progress: operation?.progress ?? null,
    archived: row.observedStatus === 'PENDING' && row.archiveKey !== null,
    error:
      error === null
        ? null
        : {
            code: error.code,
            message: error.message,
            count: error.count,
            terminal: error.terminal,
            at: iso(error.at),
          },
    standby_ttl_seconds: row.standbyTtlSeconds ?? settings.standbySeconds,
    archive_ttl_seconds:
      row.archiveTtlSeconds === 'never' ? null : (row.archiveTtlSeconds ?? settings.archiveSeconds),
    created_at: iso(row.createdAt),
    last_access_at: iso(row.lastAccessAt),
    delete_requested_at: row.deleteRequestedAt === null ? null : iso(row.deleteRequestedAt),
    url: settings.urlOf(row.id),
  };
}

/** It failed for good, and nobody has said anything since. */
/** Its own quiet has put it to rest, not a word of its user. */
export function isResting({ desiredState, desiredVersion, restedVersion }: WorkspaceRow): boolean {
  return desiredState !== 'RUNNING' && restedVersion === desiredVersion;
}

export function isInError({ error, operation, desiredVersion }: WorkspaceRow): boolean {
  return error !== null && operation === null && error.terminal && error.desiredVersion === desiredVersion;
}

function shownStatus(row: WorkspaceRow): ShownStatus {
  if (row.deletedAt !== null) return 'DELETED';
  return isInError(row) ? 'ERROR' : row.observedStatus;
}

function iso(instant: number): string {
  return new Date(instant).toISOString();
}
