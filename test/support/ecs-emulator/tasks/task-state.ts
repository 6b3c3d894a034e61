import type { TaskDefinition } from '../task-definition-store.ts';
import type { HealthStatus, StopCause, TaskStatus } from './task-status.ts';

export interface TaskContainer {
  readonly arn: string;
  readonly name: string;
  readonly image: string;
  readonly essential: boolean;
  readonly cpu: string;
  readonly memory: string | undefined;
  status: 'PENDING' | 'RUNNING' | 'STOPPED';
  health: HealthStatus;
  runtimeId?: string;
  exitCode?: number;
  reason?: string;
}

export interface TaskIdentity {
  readonly id: string;
  readonly arn: string;
  readonly clusterArn: string;
  readonly definition: TaskDefinition;
  readonly createdAt: number;
  readonly group: string;
  readonly startedBy: string | undefined;
  readonly launchType: 'FARGATE' | 'EC2';
  readonly capacityProvider: string | undefined;
  readonly overrides: unknown;
  readonly subnet: string;
  readonly zone: string;
}

export interface NetworkAttachment {
  readonly id: string;
  status: 'PRECREATED' | 'ATTACHED' | 'DELETED';
  readonly networkInterfaceId: string;
  address?: string;
}

/** All that a description tells of a task. Times are milliseconds since 1970. */
export interface TaskState {
  readonly identity: TaskIdentity;
  readonly containers: readonly TaskContainer[];
  readonly tags: ReadonlyMap<string, string>;
  readonly attachment: NetworkAttachment;
  readonly status: TaskStatus;
  readonly desiredStatus: 'RUNNING' | 'STOPPED';
  readonly health: HealthStatus;
  readonly stop: StopCause | undefined;
  readonly version: number;
  readonly pullStartedAt?: number;
  readonly pullStoppedAt?: number;
  readonly startedAt?: number;
  readonly stoppingAt?: number;
  readonly executionStoppedAt?: number;
  readonly stoppedAt?: number;
}
