import type { Instant } from '../../contracts/conversation-record.ts';
import type { State } from '../state.ts';
import { MemoryActivityStore } from './memory-activity-store.ts';
import { MemoryAdoptionStore } from './memory-adoption-store.ts';
import { MemoryConversationStore } from './memory-conversation-store.ts';
import { MemoryEgressSettingsStore } from './memory-egress-settings-store.ts';
import { MemoryExecutionStore } from './memory-execution-store.ts';
import { MemoryLeaseStore } from './memory-lease-store.ts';
import { MemoryState } from './memory-state.ts';
import { MemoryTaskStore } from './memory-task-store.ts';
import { MemoryWarmPoolStore } from './memory-warm-pool-store.ts';
import { MemoryWorkerStore } from './memory-worker-store.ts';

export interface MemoryStateOptions {
  clock?: { now(): Instant };
  /** Tests only: to see what is in it. */
  state?: MemoryState;
  /** Containers of an earlier run may be there. Nothing is refused meanwhile: adopt before anything else. */
  adoptFirst?: boolean;
}

/** The state in this process: each operation is one synchronous step, and all goes with the process. */
export function openMemoryState(options: MemoryStateOptions = {}): State {
  const { clock = Date, state = new MemoryState(), adoptFirst = false } = options;
  return {
    conversations: new MemoryConversationStore({ clock, state }),
    executions: new MemoryExecutionStore(state, clock),
    warmPool: new MemoryWarmPoolStore(state, clock),
    adoption: new MemoryAdoptionStore(state, clock, adoptFirst),
    leases: new MemoryLeaseStore(state, clock),
    egressSettings: new MemoryEgressSettingsStore(),
    tasks: new MemoryTaskStore(),
    activity: new MemoryActivityStore(clock),
    workers: new MemoryWorkerStore(state.workers, clock),
    async ping() {},
    async close() {},
  };
}
