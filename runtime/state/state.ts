import type { ActivityStore } from './activity-store.ts';
import type { AdoptionStore } from './adoption-store.ts';
import type { ConversationStore } from './conversation-store.ts';
import type { EgressSettingsStore } from './egress-settings-store.ts';
import type { ExecutionStore } from './execution-store.ts';
import type { LeaseStore } from './lease-store.ts';
import type { TaskStore } from './task-store.ts';
import type { WarmPoolStore } from './warm-pool-store.ts';
import type { WorkerStore } from './worker-store.ts';

/**
 * All the state of conversations, by owner, who uses which workspace, and functions' workers. Those of conversations share what they know:
 * an acquire pops the pool and begins executions.
 */
export interface State {
  conversations: ConversationStore;
  executions: ExecutionStore;
  warmPool: WarmPoolStore;
  adoption: AdoptionStore;
  leases: LeaseStore;
  egressSettings: EgressSettingsStore;
  tasks: TaskStore;
  activity: ActivityStore;
  workers: WorkerStore;
  ping(): Promise<void>;
  close(): Promise<void>;
}
