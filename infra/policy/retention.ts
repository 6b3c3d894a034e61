import type { ResourceRule } from './rule.ts';

export const logsExpire: ResourceRule = {
  name: 'logs-expire',
  description: 'Logs are kept for a time that someone has decided.',
  level: 'mandatory',
  fix: 'Set retentionInDays, for instance to 30',
  checks: {
    'aws:cloudwatch/logGroup:LogGroup': ({ retentionInDays }) =>
      typeof retentionInDays === 'number' && retentionInDays > 0
        ? []
        : ['The log group keeps its logs for ever'],
  },
};

export const backupsAreKept: ResourceRule = {
  name: 'backups-are-kept',
  description: 'What was lost can be had back for a week at least.',
  level: 'advisory',
  fix: 'Keep backups for 7 days or more',
  checks: {
    'aws:rds/instance:Instance': ({ backupRetentionPeriod }) => keptFor(backupRetentionPeriod, 'database'),
    'aws:rds/cluster:Cluster': ({ backupRetentionPeriod }) => keptFor(backupRetentionPeriod, 'database'),
    'aws:elasticache/replicationGroup:ReplicationGroup': ({ snapshotRetentionLimit }) =>
      keptFor(snapshotRetentionLimit, 'cache'),
  },
};

const DAYS = 7;

function keptFor(days: unknown, what: string): string[] {
  const kept = typeof days === 'number' ? days : 0;
  return kept >= DAYS ? [] : [`Backups of the ${what} are kept for ${kept} days`];
}
