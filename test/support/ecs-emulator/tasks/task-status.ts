/** The statuses of a task, in their order. */
export const TASK_STATUSES = [
  'PROVISIONING',
  'PENDING',
  'ACTIVATING',
  'RUNNING',
  'DEACTIVATING',
  'STOPPING',
  'DEPROVISIONING',
  'STOPPED',
] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export type HealthStatus = 'HEALTHY' | 'UNHEALTHY' | 'UNKNOWN';

export type StopCode =
  | 'TaskFailedToStart'
  | 'EssentialContainerExited'
  | 'UserInitiated'
  | 'ServiceSchedulerInitiated'
  | 'SpotInterruption'
  | 'TerminationNotice';

export interface StopCause {
  readonly stopCode: StopCode;
  readonly reason: string;
}
