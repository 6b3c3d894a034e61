import type { Logger } from 'pino';
import { type ContainerId, parseWorkerId, workspaceOfContainer } from '../contracts/ids.ts';
import type { Database } from '../database/database.ts';
import { Loop } from '../lifecycle/loop.ts';
import type { Readiness } from '../lifecycle/readiness.ts';
import type { FunctionOverview } from '../overview/overview.ts';
import { OverviewFeed } from '../overview/overview-feed.ts';
import { PoolHistory, SAMPLE_SECONDS } from '../overview/pool-history.ts';
import type { RecentActivity } from '../overview/recent-activity.ts';
import { RecentRefusals, type RefusedOwner } from '../overview/recent-refusals.ts';
import { StandingLook } from '../overview/standing-look.ts';
import { allRecords } from '../sweep/all-records.ts';
import { VERSION } from '../version.ts';
import type { ConversationParts } from './build-conversations.ts';
import type { Egress } from './build-egress.ts';
import type { buildFunctions } from './build-functions.ts';
import type { Sweep } from './build-sweep.ts';
import type { Foundation } from './open-foundation.ts';

interface Given extends Pick<Foundation, 'backend' | 'state' | 'settings' | 'instance'> {
  activity: RecentActivity;
  egress: Egress;
  conversations: ConversationParts;
  /** None on a backend without workspaces. */
  database: Database | undefined;
  functions: ReturnType<typeof buildFunctions>;
  sweep: Sweep;
  readiness: Readiness;
  log: Logger;
}

/** Puts together what shows at a glance how everything stands. */
export function buildOverview(given: Given) {
  const { backend, state, settings, instance, activity, egress, sweep, readiness, functions, log } = given;
  const { warmPool } = given.conversations;
  const history = new PoolHistory();
  const refusals = egress.onRefused && new RecentRefusals((container) => ownerOf(given, container));
  egress.onRefused?.((refusal) => void refusals?.add(refusal, Date.now()));

  const pool = async () => {
    const { size, ...rest } = await warmPool.view();
    return { warm: size, ...rest };
  };
  const look = new StandingLook({
    conversations: () => allRecords(state.conversations),
    containersUsed: async () => {
      const { reserved, live, warm } = await state.conversations.count();
      return reserved + live + warm;
    },
    pool,
    workspaces: async () => (await given.database?.workspaces.reads.census()) ?? null,
    functions: () => functionsNow(functions),
    dependencies: () => readiness.look(),
    refused: async () => {
      await egress.count();
      return [...egress.totals.refused.values()].reduce((sum, count) => sum + count, 0);
    },
    breaker: () => sweep.reconcile.breaker,
  });
  const feed = new OverviewFeed(() => look.look(), {
    facts: { version: VERSION, backend: backend.kind, instance, started_at: new Date().toISOString() },
    maxContainers: settings.maxContainers,
    activity,
    history,
    refusals,
  });
  const sampling = new Loop({
    name: 'pool history',
    intervalSeconds: SAMPLE_SECONDS,
    firstSeconds: 0,
    log,
    runOnce: async () => history.add(await pool().catch(() => undefined), Date.now()),
  });
  sampling.start();
  return {
    feed,
    /** The last ones of a conversation, the newest first; none where they are not told one by one. */
    refusalsOf: (owner: RefusedOwner) => refusals?.read(owner, REFUSALS_OF_ONE),
    async close() {
      feed.close();
      await sampling.stop();
    },
  };
}

const REFUSALS_OF_ONE = 20;

async function functionsNow({ workers, standing }: Given['functions']): Promise<FunctionOverview[]> {
  return (await workers.pools()).map(({ definition: { of, scaling }, byState }) => {
    const { waiting, isBroken } = standing(of);
    return {
      tenant: of.tenant,
      name: of.name,
      workers: byState,
      min_capacity: scaling.minCapacity,
      max_capacity: scaling.maxCapacity,
      waiting,
      breaker_open: isBroken,
    };
  });
}

async function ownerOf(
  { state, database }: Given,
  container: ContainerId,
): Promise<RefusedOwner | undefined> {
  const workspace = workspaceOfContainer(container);
  if (workspace !== undefined) {
    const row = await database?.workspaces.reads.get(workspace);
    return row && { tenant: row.tenant };
  }
  if (parseWorkerId(container) !== undefined) {
    const { workers } = await state.workers.look();
    return workers.find(({ worker }) => worker === container)?.of;
  }
  const record = await state.conversations.findByContainer(container);
  return record && { tenant: record.tenant, conversation: record.conversation };
}
