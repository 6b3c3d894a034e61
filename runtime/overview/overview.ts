import type { ConversationStatus } from '../contracts/conversation-record.ts';
import type { ShownStatus } from '../workspaces/workspace-view.ts';

/** How executions end. */
export const OUTCOMES = ['completed', 'failed', 'cancelled', 'lost'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Where a conversation's container came from. */
export const SOURCES = ['existing', 'warm', 'cold'] as const;
export type Source = (typeof SOURCES)[number];

/** Evenly spaced figures; `null` where none could be had. The last one is the newest. */
export interface History {
  /** ISO 8601, of the first figure. */
  since: string;
  step_seconds: number;
}

export interface PoolOverview {
  warm: number;
  starting: number;
  target: number;
  min_size: number;
  max_size: number;
  history: History & Record<'warm' | 'starting' | 'target', (number | null)[]>;
}

export interface AcquireTimes {
  source: Source;
  count: number;
  p50_ms: number;
  p99_ms: number;
}

export interface RefusalView {
  at: string;
  container_id: string;
  tenant: string | null;
  conversation_id: string | null;
  /** As the container named it; none where it named no host. */
  host: string | null;
  port: number | null;
  reason: string;
}

/** What a problem is about, for a link to it. */
export type ProblemTarget =
  | { kind: 'conversation' | 'workspace' | 'function'; id: string }
  | { kind: 'containers' | 'pool' };

export interface ProblemView {
  severity: 'critical' | 'warning';
  text: string;
  tenant: string | null;
  target: ProblemTarget | null;
}

export interface FunctionOverview {
  tenant: string;
  name: string;
  workers: Record<'provisioning' | 'idle' | 'paused' | 'busy' | 'terminating', number>;
  min_capacity: number;
  max_capacity: number;
  /** Calls that wait for a worker at this instance. */
  waiting: number;
  breaker_open: boolean;
}

/** What an operator, or a tenant, sees at a glance. */
export interface Overview {
  version: string;
  backend: string;
  /** Executions, acquire times and waiting calls are this instance's own. */
  instance: string;
  started_at: string;
  status: 'ready' | 'unready';
  tenant: string;
  scope: 'use' | 'admin';
  problems: ProblemView[];
  /** Parts that could not be looked at just now: their figures are from before. */
  stale: string[];
  conversations: Record<ConversationStatus, number>;
  containers: { used: number; limit: number } | null;
  pool: PoolOverview | null;
  executions: History & Record<Outcome, number[]>;
  acquire: AcquireTimes[];
  egress: { refused_total: number | null; recent: RefusalView[] | null };
  workspaces: { by_status: Partial<Record<ShownStatus, number>>; in_error: string[] } | null;
  functions: FunctionOverview[];
  dependencies: { name: string; ready: boolean; vital: boolean; detail: string }[] | null;
  breaker: { open: boolean; held: number } | null;
}
