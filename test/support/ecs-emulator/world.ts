import type { Arns } from './api/arns.ts';
import type { RateLimits } from './api/rate-limits.ts';
import type { ClientTokens } from './client-tokens.ts';
import type { ClusterStore } from './cluster-store.ts';
import type { AccessPointStore } from './efs/access-point-store.ts';
import type { EmulatorClock } from './emulator-clock.ts';
import type { LogStreams } from './logs/log-streams.ts';
import type { ServiceStore } from './services/service-store.ts';
import type { TaskDefinitionStore } from './task-definition-store.ts';
import type { TaskLauncher } from './tasks/task-launcher.ts';
import type { TaskStore } from './tasks/task-store.ts';

/** How old what a reader sees may be, in milliseconds of the emulator's clock. */
export interface Lag {
  readonly describeMs: number;
  readonly listMs: number;
}

/** All that the operations act on. */
export interface World {
  readonly arns: Arns;
  readonly clock: EmulatorClock;
  readonly limits: RateLimits;
  readonly clusters: ClusterStore;
  readonly taskDefinitions: TaskDefinitionStore;
  readonly tasks: TaskStore;
  readonly launcher: TaskLauncher;
  readonly clientTokens: ClientTokens;
  readonly logs: LogStreams;
  readonly services: ServiceStore;
  readonly accessPoints: AccessPointStore;
  readonly subnets: () => readonly string[];
  readonly securityGroups: () => readonly string[];
  lag: Lag;
}
