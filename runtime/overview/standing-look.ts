import type { ConversationRecord } from '../contracts/conversation-record.ts';
import type { WorkspaceCensus } from '../database/workspaces.ts';
import type { DependencyState } from '../lifecycle/readiness.ts';
import type { FunctionOverview, PoolOverview } from './overview.ts';
import { PacedLook } from './paced-look.ts';
import { noConversations, type Standing, type StatusCounts } from './standing.ts';

/** Where it is looked at. Each answers for all tenants. */
export interface Sources {
  conversations: () => AsyncIterable<ConversationRecord>;
  containersUsed: () => Promise<number>;
  pool: () => Promise<Omit<PoolOverview, 'history'>>;
  workspaces: () => Promise<WorkspaceCensus | null>;
  functions: () => Promise<FunctionOverview[]>;
  dependencies: () => Promise<DependencyState[]>;
  refused: () => Promise<number>;
  breaker: () => { open: boolean; held: number };
}

const SECOND = 1_000;
/** What asks something outside this machine, or changes rarely. */
const SLOW = 5 * SECOND;

/** Looks at everything, each part at its own pace. */
export class StandingLook {
  readonly #sources: Sources;
  readonly #conversations;
  readonly #containersUsed;
  readonly #pool;
  readonly #workspaces;
  readonly #functions;
  readonly #dependencies;
  readonly #refused;

  constructor(sources: Sources) {
    this.#sources = sources;
    this.#conversations = new PacedLook('conversations', SECOND, () => byTenant(sources.conversations()));
    this.#containersUsed = new PacedLook('containers', SECOND, sources.containersUsed);
    this.#pool = new PacedLook('pool', SECOND, sources.pool);
    this.#workspaces = new PacedLook('workspaces', SECOND, sources.workspaces);
    this.#functions = new PacedLook('functions', SECOND, sources.functions);
    this.#dependencies = new PacedLook('dependencies', SLOW, sources.dependencies);
    this.#refused = new PacedLook('egress', SLOW, sources.refused);
  }

  async look(): Promise<Standing> {
    const parts = [
      this.#conversations,
      this.#containersUsed,
      this.#pool,
      this.#workspaces,
      this.#functions,
      this.#dependencies,
      this.#refused,
    ];
    await Promise.all(parts.map((part) => part.refresh()));
    return {
      conversations: this.#conversations.value,
      containersUsed: this.#containersUsed.value,
      pool: this.#pool.value,
      workspaces: this.#workspaces.value,
      functions: this.#functions.value,
      dependencies: this.#dependencies.value,
      refused: this.#refused.value,
      breaker: this.#sources.breaker(),
      stale: parts.filter((part) => part.isStale).map(({ name }) => name),
    };
  }
}

/** One that changes meanwhile may come twice: it counts once. */
async function byTenant(records: AsyncIterable<ConversationRecord>): Promise<Map<string, StatusCounts>> {
  const counts = new Map<string, StatusCounts>();
  const seen = new Set<string>();
  for await (const { tenant, container, status } of records) {
    if (seen.has(container)) continue;
    seen.add(container);
    const ofTenant = counts.get(tenant) ?? noConversations();
    ofTenant[status] += 1;
    counts.set(tenant, ofTenant);
  }
  return counts;
}
