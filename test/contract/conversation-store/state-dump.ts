import type { MemoryState, StoredRecord } from '../../../runtime/state/memory/memory-state.ts';

/** All that a store holds, as plain values: two stores in the same state have equal dumps. */
export interface StateDump {
  records: Record<string, StoredRecord>;
  reverse: Record<string, string>;
  reserved: Record<string, number>;
  expiry: Record<string, number>;
  work: Record<string, Record<string, number>>;
  tenants: Record<string, string[]>;
}

export function dumpMemory(state: MemoryState): StateDump {
  const work = [...state.work].filter(([, leases]) => leases.size > 0);
  return structuredClone({
    records: Object.fromEntries(state.records),
    reverse: Object.fromEntries(state.reverse),
    reserved: Object.fromEntries(state.reserved),
    expiry: Object.fromEntries(state.expiry),
    work: Object.fromEntries(work.map(([container, leases]) => [container, Object.fromEntries(leases)])),
    tenants: Object.fromEntries([...state.tenants].map(([tenant, ids]) => [tenant, [...ids].sort()])),
  });
}
