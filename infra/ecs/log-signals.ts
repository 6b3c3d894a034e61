import { LogMetricFilter } from '@pulumi/aws/cloudwatch/logMetricFilter.js';
import type { Resource } from '@pulumi/pulumi';
import { logGroupName } from './ecs-cluster.ts';
import type { EcsPlace } from './ecs-place.ts';

/** What is counted in the runtime's log: lines with one of these messages. */
export const LOG_SIGNALS = {
  FilesLost: ['a container goes without its files being saved'],
  FilesNotSaved: ['files could not be saved: the container stays for now'],
  BreakerOpen: [
    'sweep: too many containers with valid tickets have no owner; none is ended until POST /v1/sweep says so',
  ],
  PoolFailed: [
    'a member of the warm pool could not be made; it is tried again in the next cycle',
    'the warm pool failed',
  ],
  NearlyFull: ['nine tenths of MAX_CONTAINERS are taken'],
  LoopFailed: ['looking for expired containers failed', 'a turn of the loop failed'],
  EgressFailed: [
    'a container has no way out',
    'the egress service could not be told',
    'the egress proxy of a container could not be seen to',
  ],
  ModelsRefused: [
    'the role of BEDROCK_ROLE_ARN could not be assumed: calls of models are refused once its credentials expire',
  ],
  StoreAway: ['Redis is away'],
  DatabaseAway: ['the database is away: workspaces are left as they are'],
  ArchiveCorrupt: ['the archive of a workspace is corrupt'],
  ArchiveFailed: ['the home of a workspace could not be archived or restored'],
  WorkspaceFailed: [
    'an operation on a workspace failed',
    'an operation on a workspace could not be begun',
    'how an operation ended could not be written',
  ],
  WorkspaceInError: ['a workspace is left in ERROR'],
  WorkerFailed: ['a worker could not be made', 'a function is left out'],
  ContainerCrashed: ['a container crashed'],
  ContainerUnhealthy: ['a container is unhealthy'],
  ContainerGone: ['sweep: the container of a conversation is gone'],
  UnexpectedError: ['an unexpected error'],
} as const satisfies Record<string, readonly string[]>;

export type LogSignal = keyof typeof LOG_SIGNALS;

/** Where CloudWatch has what is counted for a platform. */
export const signalNamespace = (platform: string) => `Berth/${platform}`;

/** As CloudWatch finds lines of JSON that have one of these messages. */
export function messagePattern(messages: readonly string[]): string {
  return `{ ${messages.map((message) => `($.msg = "${message}")`).join(' || ')} }`;
}

/** Counts the signals, from when the runtime has its log. */
export function logSignals({ name, parent }: EcsPlace, runtime: Resource): void {
  for (const [signal, messages] of Object.entries(LOG_SIGNALS))
    new LogMetricFilter(
      `${name}-${signal}`,
      {
        logGroupName: logGroupName(name, 'runtime'),
        pattern: messagePattern(messages),
        metricTransformation: {
          namespace: signalNamespace(name),
          name: signal,
          value: '1',
          defaultValue: '0',
          unit: 'Count',
        },
      },
      { parent, dependsOn: [runtime] },
    );
}
