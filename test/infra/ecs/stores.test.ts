import { SecurityGroup } from '@pulumi/aws/ec2/securityGroup.js';
import { ComponentResource, output } from '@pulumi/pulumi';
import { beforeEach, describe, expect, it } from 'vitest';
import { ecsPlace } from '../../../infra/ecs/ecs-place.ts';
import { generatedSecrets, keptSecrets } from '../../../infra/ecs/ecs-secrets.ts';
import { ecsStores } from '../../../infra/ecs/ecs-stores.ts';
import { SECRET } from '../secret-marks.ts';
import { idOf, recordAws, settled } from './aws-mocks.ts';

const REDIS = 'aws:elasticache/replicationGroup:ReplicationGroup';
const POSTGRES = 'aws:rds/instance:Instance';

const aws = recordAws();
beforeEach(() => aws.resources.splice(0));

async function stores(destroyData = false) {
  const place = ecsPlace('agents', new ComponentResource('test:index:Parent', 'parent'));
  const secrets = generatedSecrets(place);
  const group = (name: string) => new SecurityGroup(name, {});
  const nothing = output<string[]>([]);
  keptSecrets(place, secrets, destroyData);
  ecsStores({
    place,
    network: {
      own: true,
      fits: output(undefined),
      vpcId: output('vpc'),
      range: output('10.20.0.0/16'),
      taskSubnets: nothing,
      inEachZone: () => output([]),
      serviceSubnets: output(['subnet-a', 'subnet-b']),
      serviceRanges: nothing,
      proxySubnets: nothing,
      routeTables: [],
      gateways: [],
      routes: [],
    },
    groups: {
      alb: group('alb'),
      runtime: group('runtime'),
      tasks: group('tasks'),
      workspaces: group('workspaces'),
      redis: group('redis'),
      postgres: group('postgres'),
      files: group('files'),
    },
    secrets,
    destroyData,
  });
  await settled();
}

const kept = () => aws.resources.filter(({ retained }) => retained);
const ofStores = () =>
  aws.resources.filter(({ type }) => /^aws:(s3|rds|elasticache|secretsmanager|cloudwatch)\//.test(type));

describe('the stores on AWS', () => {
  it('are encrypted at rest and on the way, over two zones', async () => {
    await stores();
    expect(aws.named(REDIS, 'agents-redis').inputs).toMatchObject({
      engine: 'valkey',
      multiAzEnabled: true,
      automaticFailoverEnabled: true,
      numNodeGroups: 1,
      replicasPerNodeGroup: 1,
      clusterMode: 'enabled',
      durability: 'sync',
      transitEncryptionEnabled: true,
      transitEncryptionMode: 'required',
      atRestEncryptionEnabled: true,
      authToken: SECRET,
    });
    expect(aws.named(POSTGRES, 'agents-postgres').inputs).toMatchObject({
      engine: 'postgres',
      multiAz: true,
      storageEncrypted: true,
      publiclyAccessible: false,
      password: SECRET,
    });
    expect(aws.named('aws:rds/parameterGroup:ParameterGroup', 'agents-postgres').inputs.parameters).toEqual([
      { name: 'rds.force_ssl', value: '1' },
    ]);
  });

  it('never throw state away to make room', async () => {
    await stores();
    const { inputs } = aws.named('aws:elasticache/parameterGroup:ParameterGroup', 'agents-redis');
    expect(inputs.parameters).toEqual([
      { name: 'cluster-enabled', value: 'yes' },
      { name: 'maxmemory-policy', value: 'noeviction' },
    ]);
  });

  it('are each behind the group that was made for it', async () => {
    await stores();
    const groupOf = (name: string) => [idOf('aws:ec2/securityGroup:SecurityGroup', name)];
    expect(aws.named(REDIS, 'agents-redis').inputs.securityGroupIds).toEqual(groupOf('redis'));
    expect(aws.named(POSTGRES, 'agents-postgres').inputs.vpcSecurityGroupIds).toEqual(groupOf('postgres'));
  });

  it('keep files private, encrypted, versioned and off plain connections', async () => {
    await stores();
    const of = (kind: string) => aws.named(`aws:s3/b${kind.slice(1)}:${kind}`, 'agents-objects').inputs;
    expect(of('BucketPublicAccessBlock')).toMatchObject({
      blockPublicAcls: true,
      blockPublicPolicy: true,
      ignorePublicAcls: true,
      restrictPublicBuckets: true,
    });
    expect(of('BucketVersioning').versioningConfiguration).toEqual({ status: 'Enabled' });
    expect(of('BucketServerSideEncryptionConfiguration').rules).toEqual([
      { applyServerSideEncryptionByDefault: { sseAlgorithm: 'AES256' } },
    ]);
    const [rule] = of('BucketLifecycleConfiguration').rules;
    expect(rule).toMatchObject({
      status: 'Enabled',
      filter: {},
      noncurrentVersionExpiration: { noncurrentDays: 30 },
      abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
    });
    expect(of('BucketPolicy').policy).toContain('aws:SecureTransport');
  });

  it('log the database where logs expire, before RDS makes a place that keeps them for ever', async () => {
    await stores();
    const { inputs, after } = aws.named(POSTGRES, 'agents-postgres');
    for (const log of inputs.enabledCloudwatchLogsExports) {
      const called = `agents-postgres-${log}`;
      expect(aws.named('aws:cloudwatch/logGroup:LogGroup', called).inputs).toMatchObject({
        name: `/aws/rds/instance/${inputs.identifier}/${log}`,
        retentionInDays: 30,
      });
      expect(`${after.join('\n')}\n`).toContain(`aws:cloudwatch/logGroup:LogGroup::${called}\n`);
    }
    expect(inputs.enabledCloudwatchLogsExports).toHaveLength(2);
  });

  it('have a database whose name is left to it where it stays', async () => {
    await stores();
    expect(aws.named(POSTGRES, 'agents-postgres').inputs.identifier).toBe('agents-postgres-1a2b3c4d');
    expect(aws.named('random:index/randomId:RandomId', 'agents-postgres').retained).toBe(false);
  });

  it('stay when the platform goes, with the secrets that open them', async () => {
    await stores();
    expect(kept()).toEqual(ofStores());
    expect(aws.named(POSTGRES, 'agents-postgres').inputs.deletionProtection).toBe(true);
    expect(aws.named('aws:s3/bucket:Bucket', 'agents-objects').inputs.forceDestroy).toBe(false);
  });

  it('go with it where that is asked for, and nothing asks for a snapshot or a week first', async () => {
    await stores(true);
    expect(kept()).toEqual([]);
    expect(aws.named(POSTGRES, 'agents-postgres').inputs).toMatchObject({
      deletionProtection: false,
      skipFinalSnapshot: true,
    });
    expect(aws.named('aws:s3/bucket:Bucket', 'agents-objects').inputs.forceDestroy).toBe(true);
    for (const { inputs } of aws.of('aws:secretsmanager/secret:Secret'))
      expect(inputs.recoveryWindowInDays).toBe(0);
  });
});
