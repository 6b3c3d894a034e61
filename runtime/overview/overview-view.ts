import { findProblems } from './find-problems.ts';
import type { Overview } from './overview.ts';
import type { PoolHistory } from './pool-history.ts';
import type { RecentActivity } from './recent-activity.ts';
import type { RecentRefusals } from './recent-refusals.ts';
import { noConversations, type Standing } from './standing.ts';

const REFUSALS_SHOWN = 50;

export interface Viewer {
  tenant: string;
  scope: 'use' | 'admin';
}

/** What an instance remembers by itself, and what never changes. */
export interface Memories {
  facts: Pick<Overview, 'version' | 'backend' | 'instance' | 'started_at'>;
  maxContainers: number;
  activity: RecentActivity;
  history: PoolHistory;
  /** None where the proxies tell only how many they refused. */
  refusals: RecentRefusals | undefined;
}

/** What this viewer may see of it: an admin everything, others what is their tenant's. */
export function overviewFor(
  { tenant, scope }: Viewer,
  standing: Standing,
  memories: Memories,
  now: number,
): Overview {
  const sees = scope === 'admin' ? undefined : tenant;
  const isTheirs = (of: { tenant: string | null }) => sees === undefined || of.tenant === sees;
  const { facts, maxContainers, activity, history, refusals } = memories;
  const { pool, containersUsed, dependencies, breaker, refused } = standing;
  const unsaved = activity.unsavedSince(now);
  return {
    ...facts,
    status: (dependencies ?? []).some(({ ready, vital }) => vital && !ready) ? 'unready' : 'ready',
    tenant,
    scope,
    problems: findProblems({ standing, maxContainers, unsaved }, isTheirs),
    stale: standing.stale,
    conversations: conversationsOf(standing, sees),
    executions: activity.executions.read(sees, now),
    acquire: activity.acquires.read(sees, now),
    egress: {
      refused_total: sees === undefined ? (refused ?? null) : null,
      recent: refusals?.read(sees === undefined ? {} : { tenant: sees }, REFUSALS_SHOWN) ?? null,
    },
    workspaces: workspacesOf(standing, isTheirs),
    functions: (standing.functions ?? []).filter(isTheirs),
    ...(sees === undefined
      ? {
          pool: pool === undefined ? null : { ...pool, history: history.read() },
          containers: containersUsed === undefined ? null : { used: containersUsed, limit: maxContainers },
          dependencies: dependencies ?? null,
          breaker,
        }
      : { pool: null, containers: null, dependencies: null, breaker: null }),
  };
}

function conversationsOf({ conversations }: Standing, tenant: string | undefined): Overview['conversations'] {
  if (tenant !== undefined) return conversations?.get(tenant) ?? noConversations();
  const sum = noConversations();
  for (const counts of conversations?.values() ?? []) {
    sum.preparing += counts.preparing;
    sum.ready += counts.ready;
    sum.running += counts.running;
    sum.idle += counts.idle;
    sum.draining += counts.draining;
  }
  return sum;
}

function workspacesOf(
  { workspaces }: Standing,
  isTheirs: (of: { tenant: string }) => boolean,
): Overview['workspaces'] {
  if (workspaces === undefined || workspaces === null) return null;
  const by_status: NonNullable<Overview['workspaces']>['by_status'] = {};
  for (const { status, count } of workspaces.counts.filter(isTheirs))
    by_status[status] = (by_status[status] ?? 0) + count;
  return { by_status, in_error: workspaces.inError.filter(isTheirs).map(({ id }) => id) };
}
