import type { OperationKind, WorkspaceRow } from '../../database/workspace-row.ts';
import { isInError } from '../../workspaces/workspace-view.ts';

/** How far a workspace is that somebody waits for. */
export interface Waiting {
  state: 'running' | 'waiting' | 'failed' | 'stopped';
  message: string;
}

const DOING: Record<OperationKind, string> = {
  PROVISIONING: 'Its home is being made',
  RESTORING: 'Its home is being brought back from the archive',
  STARTING: 'Its container is being started',
  STOPPING: 'It is being stopped first',
  ARCHIVING: 'Its home is being archived first',
  DELETING: 'It is being deleted',
};

export function waitingOf(row: WorkspaceRow, reachable: boolean): Waiting {
  if (reachable) return { state: 'running', message: 'It runs' };
  if (isInError(row)) return { state: 'failed', message: row.error?.message ?? 'It could not be started' };
  if (row.desiredState !== 'RUNNING')
    return { state: 'stopped', message: 'It was stopped. Open this page anew to start it.' };
  return { state: 'waiting', message: words(row) };
}

function words({ operation, error }: WorkspaceRow): string {
  if (operation !== null) {
    const { kind, progress } = operation;
    return progress === null ? `${DOING[kind]}.` : `${DOING[kind]}: ${progress}`;
  }
  if (error !== null) return `It is tried again soon: ${error.message}`;
  return 'It is about to be started.';
}
