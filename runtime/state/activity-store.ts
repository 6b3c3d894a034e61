import type { WorkspaceId } from '../contracts/ids.ts';

/** A connection whose heart has not beaten for so long is gone: its proxy was killed. */
export const CONNECTION_SILENT_SECONDS = 90;

/** Who is connected to which workspace, by heartbeats, and which are to be left running for a while after. */
export interface ActivityStore {
  /** One more. `first`: there was no other, live one. Ends the idle timer. */
  connect(workspace: WorkspaceId, connection: string): Promise<{ first: boolean }>;

  /** These are still open. One that was forgotten meanwhile is there again. */
  beat(connections: readonly OpenConnection[]): Promise<void>;

  /** One less. With the last live one the idle timer begins. */
  disconnect(workspace: WorkspaceId, connection: string, idleSeconds: number): Promise<void>;

  /** The idle timer begins anew, whoever is connected. */
  armTimer(workspace: WorkspaceId, idleSeconds: number): Promise<void>;

  /**
   * Those of them with a live connection or a timer that has not run out, with a constant number of calls. All of them,
   * until it has been asked for 90 s: a store that was emptied has heard of every live connection again by then.
   */
  inUse(workspaces: readonly WorkspaceId[]): Promise<Set<WorkspaceId>>;

  /** True for the first call with this name in so many seconds: a link that is good once. */
  useOnce(name: string, seconds: number): Promise<boolean>;

  /** Tells every instance to look at workspaces soon. Lost ones cost time only. */
  hint(): void;

  /** Calls `listener` when somebody hints, until the returned function is called. */
  onHint(listener: () => void): () => void;
}

export interface OpenConnection {
  workspace: WorkspaceId;
  connection: string;
}
