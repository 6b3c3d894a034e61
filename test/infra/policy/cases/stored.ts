import { type Cases, TASK } from './shapes.ts';

const encrypted = (flag: string): Pick<Cases, 'passes' | 'fails'> => ({
  passes: [{ [flag]: true }],
  fails: [
    [{}, 'in the clear'],
    [{ [flag]: false }, 'in the clear'],
  ],
});

export const STORED: Cases[] = [
  {
    rule: 'encrypted-at-rest',
    type: 'aws:elasticache/replicationGroup:ReplicationGroup',
    ...encrypted('atRestEncryptionEnabled'),
  },
  { rule: 'encrypted-at-rest', type: 'aws:rds/instance:Instance', ...encrypted('storageEncrypted') },
  { rule: 'encrypted-at-rest', type: 'aws:rds/cluster:Cluster', ...encrypted('storageEncrypted') },
  { rule: 'encrypted-at-rest', type: 'aws:efs/fileSystem:FileSystem', ...encrypted('encrypted') },
  { rule: 'encrypted-at-rest', type: 'aws:ebs/volume:Volume', ...encrypted('encrypted') },
  {
    rule: 'encrypted-in-transit',
    type: 'aws:lb/listener:Listener',
    passes: [
      { protocol: 'HTTPS', sslPolicy: 'ELBSecurityPolicy-TLS13-1-2-2021-06' },
      { protocol: 'HTTP', defaultActions: [{ type: 'redirect', redirect: { protocol: 'HTTPS' } }] },
    ],
    fails: [
      [{ protocol: 'HTTP', defaultActions: [{ type: 'forward' }] }, 'without TLS'],
      [{ protocol: 'HTTP', defaultActions: [] }, 'without TLS'],
      [{ protocol: 'HTTPS' }, 'before 1.2'],
      [{ protocol: 'HTTPS', sslPolicy: 'ELBSecurityPolicy-2016-08' }, 'before 1.2'],
    ],
  },
  {
    rule: 'encrypted-in-transit',
    type: 'aws:elasticache/replicationGroup:ReplicationGroup',
    passes: [
      { transitEncryptionEnabled: true },
      { transitEncryptionEnabled: true, transitEncryptionMode: 'required' },
    ],
    fails: [
      [{}, 'without TLS'],
      [{ transitEncryptionEnabled: true, transitEncryptionMode: 'preferred' }, 'without TLS'],
    ],
  },
  {
    rule: 'encrypted-in-transit',
    type: 'aws:rds/parameterGroup:ParameterGroup',
    passes: [{}, { parameters: [{ name: 'rds.force_ssl', value: '1' }] }],
    fails: [[{ parameters: [{ name: 'rds.force_ssl', value: '0' }] }, 'The database']],
  },
  {
    rule: 'encrypted-in-transit',
    type: TASK,
    passes: [
      { volumes: [{ name: 'scratch' }] },
      { volumes: [{ name: 'files', efsVolumeConfiguration: { transitEncryption: 'ENABLED' } }] },
    ],
    fails: [[{ volumes: [{ name: 'files', efsVolumeConfiguration: {} }] }, 'The volume files']],
  },
  {
    rule: 'encrypted-in-transit',
    type: 'aws:efs/fileSystemPolicy:FileSystemPolicy',
    passes: [
      {
        policy: JSON.stringify({
          Statement: [{ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }],
        }),
      },
    ],
    fails: [[{ policy: JSON.stringify({ Statement: [{ Effect: 'Allow' }] }) }, 'without TLS']],
  },
  {
    rule: 'lasting-tags',
    type: 'aws:ecr/repository:Repository',
    passes: [{ imageTagMutability: 'IMMUTABLE', imageScanningConfiguration: { scanOnPush: true } }],
    fails: [
      [{ imageScanningConfiguration: { scanOnPush: true } }, 'can be moved'],
      [{ imageTagMutability: 'IMMUTABLE' }, 'not scanned'],
    ],
  },
  {
    rule: 'logs-expire',
    type: 'aws:cloudwatch/logGroup:LogGroup',
    passes: [{ retentionInDays: 30 }],
    fails: [
      [{}, 'for ever'],
      [{ retentionInDays: 0 }, 'for ever'],
    ],
  },
  {
    rule: 'backups-are-kept',
    type: 'aws:rds/instance:Instance',
    passes: [{ backupRetentionPeriod: 7 }],
    fails: [
      [{}, 'the database are kept for 0 days'],
      [{ backupRetentionPeriod: 1 }, 'kept for 1 days'],
    ],
  },
  {
    rule: 'backups-are-kept',
    type: 'aws:rds/cluster:Cluster',
    passes: [{ backupRetentionPeriod: 14 }],
    fails: [[{}, 'the database']],
  },
  {
    rule: 'backups-are-kept',
    type: 'aws:elasticache/replicationGroup:ReplicationGroup',
    passes: [{ snapshotRetentionLimit: 7 }],
    fails: [[{}, 'the cache']],
  },
];
