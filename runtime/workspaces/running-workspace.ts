import type { Endpoint } from '../containers/container-backend.ts';
import type { WorkspaceId } from '../contracts/ids.ts';
import type { WorkspaceRow } from '../database/workspace-row.ts';

/** What the proxy asks about a workspace, and tells of it. */
export interface WorkspaceDirectory {
  /** None: there is no such workspace, or it is deleted. At most a second old. */
  find(id: WorkspaceId): Promise<WorkspaceRow | undefined>;

  /** Where its program listens. A connection belongs to the incarnation: another one means another container. */
  reach(row: WorkspaceRow): Promise<RunningWorkspace | undefined>;

  /**
   * Wants it RUNNING and resolves once it is reachable. Throws `QUOTA_EXCEEDED`, `CAPACITY_EXCEEDED`,
   * `WORKSPACE_NOT_FOUND`, `WORKSPACE_DELETING`, what it failed with, or the signal's reason.
   */
  wake(id: WorkspaceId, signal: AbortSignal): Promise<RunningWorkspace>;
}

export interface RunningWorkspace {
  /** The engine's own id of the container. */
  incarnation: string;
  endpoint: Endpoint;
}
