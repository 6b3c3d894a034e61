import type { Instant } from '../contracts/conversation-record.ts';
import type { OperationKind, WorkspaceRow, WorkspaceState } from '../database/workspace-row.ts';

/** An operation whose heart has not beaten for this long is somebody's who is gone. */
export const SILENT_SECONDS = 60;

export type OperationPlan =
  /** It is as it is wanted, or nothing can be done about it. */
  | { kind: 'rest' }
  /** Somebody is at it. */
  | { kind: 'wait' }
  | { kind: 'begin'; operation: OperationKind }
  /** Somebody was at it. */
  | { kind: 'take-over'; operation: OperationKind };

/** What is to be done next about a workspace. One step at a time: PENDING → STANDBY → RUNNING, and back. */
export function planOperation(row: WorkspaceRow, now: Instant): OperationPlan {
  if (row.deletedAt !== null) return { kind: 'rest' };
  if (row.operation !== null) {
    const silent = now - row.operation.heartbeatAt >= SILENT_SECONDS * 1000;
    return silent ? { kind: 'take-over', operation: row.operation.kind } : { kind: 'wait' };
  }
  if (isHeldBack(row, now)) return { kind: 'rest' };
  const operation = nextOperation(row);
  return operation === undefined ? { kind: 'rest' } : { kind: 'begin', operation };
}

/** It failed, the user has said nothing since, and it is not time to try again. */
function isHeldBack({ error, desiredVersion }: WorkspaceRow, now: Instant): boolean {
  if (error === null || error.desiredVersion !== desiredVersion) return false;
  return error.terminal || error.retryAt === null || now < error.retryAt;
}

function nextOperation(row: WorkspaceRow): OperationKind | undefined {
  if (row.deleteRequestedAt !== null) return 'DELETING';
  const wanted = HEIGHT[row.desiredState] - HEIGHT[row.observedStatus];
  const fill = row.archiveKey === null ? 'PROVISIONING' : 'RESTORING';
  // A volume that is there, but only half made, or archived already: made whole, or removed.
  if (row.observedStatus === 'STANDBY' && row.homeFrom === null) return wanted < 0 ? 'ARCHIVING' : fill;
  if (wanted === 0) return undefined;
  switch (row.observedStatus) {
    case 'PENDING':
      return fill;
    case 'STANDBY':
      return wanted > 0 ? 'STARTING' : 'ARCHIVING';
    case 'RUNNING':
      return 'STOPPING';
  }
}

/** How much of it there is. */
const HEIGHT: Record<WorkspaceState, number> = { PENDING: 0, STANDBY: 1, RUNNING: 2 };
