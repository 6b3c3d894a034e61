import type { AlarmRule } from './alarm-rule.ts';
import { metricsOf, type Watched } from './watched.ts';

/** What the runtime says itself. */
export function logAlarmRules(watched: Watched): AlarmRule[] {
  const { signal } = metricsOf(watched);
  const lasting = { is: 'above', periods: 3, minutes: 5 } as const;
  const once = { is: 'above', threshold: 0, periods: 1, minutes: 5 } as const;
  return [
    {
      name: 'store-away',
      means: 'For 3 minutes an instance of the runtime could not reach Redis: it serves nothing new.',
      metrics: { lines: signal('StoreAway') },
      is: 'above',
      threshold: 0,
      periods: 3,
      minutes: 1,
    },
    {
      name: 'database-away',
      means:
        'For 3 minutes an instance of the runtime could not reach Postgres: workspaces and functions are left as they are.',
      metrics: { lines: signal('DatabaseAway') },
      is: 'above',
      threshold: 0,
      periods: 3,
      minutes: 1,
    },
    {
      name: 'archive-corrupt',
      means: 'The archive of a workspace is not what was written: its home can not be restored.',
      metrics: { lines: signal('ArchiveCorrupt') },
      ...once,
    },
    {
      name: 'archives-failing',
      means: 'The home of a workspace could not be archived or restored, and nothing more is tried.',
      metrics: { lines: signal('ArchiveFailed') },
      ...once,
    },
    {
      name: 'workspaces-failing',
      means: 'For a quarter of an hour operations on workspaces failed.',
      metrics: { lines: signal('WorkspaceFailed') },
      ...lasting,
      threshold: 5,
    },
    ...(watched.functions
      ? [
          {
            name: 'workers-failing',
            means: 'For a quarter of an hour workers of functions could not be made.',
            metrics: { lines: signal('WorkerFailed') },
            ...lasting,
            threshold: 5,
          },
        ]
      : []),
    {
      name: 'files-lost',
      means: 'A container went, and its last changes were not saved.',
      metrics: { lines: signal('FilesLost') },
      ...once,
    },
    {
      name: 'files-not-saved',
      means: 'For a quarter of an hour files could not be saved.',
      metrics: { lines: signal('FilesNotSaved') },
      ...lasting,
      threshold: 0,
    },
    {
      name: 'sweep-breaker',
      means: 'Many containers have no owner all at once, and the sweep waits for someone to look.',
      metrics: { lines: signal('BreakerOpen') },
      ...once,
    },
    {
      name: 'capacity',
      means: 'Nine tenths of the containers that there may be are there: soon conversations are refused.',
      // Tasks of the cluster are workspaces and workers, too.
      metrics: { lines: signal('NearlyFull') },
      is: 'above',
      threshold: 0,
      periods: 2,
      minutes: 5,
    },
    {
      name: 'pool-failing',
      means: 'For a quarter of an hour containers could not be made for the warm pool.',
      metrics: { lines: signal('PoolFailed') },
      ...lasting,
      threshold: 2,
    },
    {
      name: 'loops-failing',
      means: 'For a quarter of an hour the clearing up failed: nothing expires.',
      metrics: { lines: signal('LoopFailed') },
      ...lasting,
      threshold: 0,
    },
    {
      name: 'egress-failing',
      means: 'For a quarter of an hour containers had no way out.',
      metrics: { lines: signal('EgressFailed') },
      ...lasting,
      threshold: 5,
    },
    ...(watched.signsModels
      ? [
          {
            name: 'models-refused',
            means:
              "For a quarter of an hour the role for models could not be assumed: calls of them won't be signed.",
            metrics: { lines: signal('ModelsRefused') },
            ...lasting,
            threshold: 0,
          },
        ]
      : []),
  ];
}
