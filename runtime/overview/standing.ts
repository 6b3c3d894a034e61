import type { ConversationStatus } from '../contracts/conversation-record.ts';
import type { WorkspaceCensus } from '../database/workspaces.ts';
import type { DependencyState } from '../lifecycle/readiness.ts';
import type { FunctionOverview, PoolOverview } from './overview.ts';

export type StatusCounts = Record<ConversationStatus, number>;

/** How everything stands, over all tenants: what each view is made from. `undefined`: never seen so far. */
export interface Standing {
  conversations: Map<string, StatusCounts> | undefined;
  containersUsed: number | undefined;
  pool: Omit<PoolOverview, 'history'> | undefined;
  /** `null`: this backend has none. */
  workspaces: WorkspaceCensus | null | undefined;
  functions: FunctionOverview[] | undefined;
  dependencies: DependencyState[] | undefined;
  /** Over all proxies, since the start. */
  refused: number | undefined;
  breaker: { open: boolean; held: number };
  /** Names of what could not be looked at just now. */
  stale: string[];
}

export function noConversations(): StatusCounts {
  return { preparing: 0, ready: 0, running: 0, idle: 0, draining: 0 };
}
