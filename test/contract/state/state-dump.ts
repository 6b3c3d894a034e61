import type {
  MemoryState,
  StoredExecution,
  StoredMember,
  StoredRecord,
} from '../../../runtime/state/memory/memory-state.ts';
import { EXECUTION_KEPT_MS, LOG_KEPT_MS } from '../../../runtime/state/store-limits.ts';
import type { PoolSizes } from '../../../runtime/state/warm-pool-store.ts';

/** All that a state holds, as plain values: two in the same state have equal dumps. */
export interface StateDump {
  records: Record<string, StoredRecord>;
  reverse: Record<string, string>;
  reserved: Record<string, number>;
  expiry: Record<string, number>;
  work: Record<string, Record<string, number>>;
  tenants: Record<string, string[]>;
  /** The oldest first. */
  warm: string[];
  members: Record<string, StoredMember>;
  starting: Record<string, { owner: string; until: number }>;
  sizes: PoolSizes | null;
  demand: number;
  /** Those that are still known, with the logs that are. */
  executions: Record<string, StoredExecution>;
  relays: Record<string, number>;
  /** Running executions: tenant → `conversation:execution` → deadline. */
  tenantExecutions: Record<string, Record<string, number>>;
  leases: Record<string, { owner: string; until: number }>;
}

export function dumpMemory(state: MemoryState, now: number): StateDump {
  const work = [...state.work].filter(([, leases]) => leases.size > 0);
  const running = [...state.executions.values()].filter(({ status }) => status === 'running');
  const tenantExecutions: StateDump['tenantExecutions'] = {};
  for (const { tenant, conversation, execution, deadline } of running) {
    tenantExecutions[tenant] = { ...tenantExecutions[tenant], [`${conversation}:${execution}`]: deadline };
  }
  return structuredClone({
    records: Object.fromEntries(state.records),
    reverse: Object.fromEntries(state.reverse),
    reserved: Object.fromEntries(state.reserved),
    expiry: Object.fromEntries(state.expiry),
    work: Object.fromEntries(work.map(([container, leases]) => [container, Object.fromEntries(leases)])),
    tenants: Object.fromEntries([...state.tenants].map(([tenant, ids]) => [tenant, [...ids].sort()])),
    warm: [...state.warm.keys()],
    members: Object.fromEntries(state.warm),
    starting: Object.fromEntries(state.starting),
    sizes: state.poolSizes ?? null,
    demand: state.demand,
    executions: stillKnown(Object.fromEntries(state.executions), now),
    relays: Object.fromEntries(state.relays),
    tenantExecutions,
    leases: Object.fromEntries(state.leases),
  });
}

/** Without what counts as gone, though it may not have been cleared away. */
export function stillKnown(
  executions: Record<string, StoredExecution>,
  now: number,
): Record<string, StoredExecution> {
  const known = Object.entries(executions).flatMap(([name, execution]) => {
    const age = execution.endedAt === null ? -1 : now - execution.endedAt;
    if (age >= EXECUTION_KEPT_MS) return [];
    return [[name, age >= LOG_KEPT_MS ? { ...execution, entries: [] } : execution] as const];
  });
  return Object.fromEntries(known);
}
