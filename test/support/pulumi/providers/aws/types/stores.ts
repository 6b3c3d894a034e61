import type { BackupPolicyArgs } from '@pulumi/aws/efs/backupPolicy.js';
import type { FileSystemArgs } from '@pulumi/aws/efs/fileSystem.js';
import type { FileSystemPolicyArgs } from '@pulumi/aws/efs/fileSystemPolicy.js';
import type { MountTargetArgs } from '@pulumi/aws/efs/mountTarget.js';
import type { ParameterGroupArgs as CacheParameterGroupArgs } from '@pulumi/aws/elasticache/parameterGroup.js';
import type { ReplicationGroupArgs } from '@pulumi/aws/elasticache/replicationGroup.js';
import type { SubnetGroupArgs as CacheSubnetGroupArgs } from '@pulumi/aws/elasticache/subnetGroup.js';
import type { InstanceArgs } from '@pulumi/aws/rds/instance.js';
import type { ParameterGroupArgs } from '@pulumi/aws/rds/parameterGroup.js';
import type { SubnetGroupArgs } from '@pulumi/aws/rds/subnetGroup.js';
import type { BucketArgs } from '@pulumi/aws/s3/bucket.js';
import type { BucketLifecycleConfigurationArgs } from '@pulumi/aws/s3/bucketLifecycleConfiguration.js';
import type { BucketOwnershipControlsArgs } from '@pulumi/aws/s3/bucketOwnershipControls.js';
import type { BucketPolicyArgs } from '@pulumi/aws/s3/bucketPolicy.js';
import type { BucketPublicAccessBlockArgs } from '@pulumi/aws/s3/bucketPublicAccessBlock.js';
import type { BucketServerSideEncryptionConfigurationArgs } from '@pulumi/aws/s3/bucketServerSideEncryptionConfiguration.js';
import type { BucketVersioningArgs } from '@pulumi/aws/s3/bucketVersioning.js';
import type { SecretArgs } from '@pulumi/aws/secretsmanager/secret.js';
import type { SecretVersionArgs } from '@pulumi/aws/secretsmanager/secretVersion.js';
import { type AwsType, arn, of, REGION } from '../aws-type.ts';
import { bucket } from '../effects/bucket.ts';
import { deletionProtected } from '../effects/deletion-protected.ts';
import { givenPostgres } from '../effects/given-postgres.ts';
import { givenRedis } from '../effects/given-redis.ts';

const GROUP_OF_PARAMETERS = ['name', 'family', 'description', 'parameters', 'tags'] as const;
/** A setting of a bucket is the bucket's own. */
const ofBucket = { replacing: ['bucket'] } as const;

/** What keeps data. */
export const STORES: Readonly<Record<string, AwsType>> = {
  'aws:s3/bucket:Bucket': of<BucketArgs>('{bucket}', ['bucket', 'forceDestroy', 'tags'], {
    named: 'bucket',
    longest: 63,
    replacing: ['bucket'],
    outputs: { arn: 'arn:aws:s3:::{bucket}' },
    effects: bucket,
  }),
  'aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock': of<BucketPublicAccessBlockArgs>(
    '{bucket}',
    ['bucket', 'blockPublicAcls', 'blockPublicPolicy', 'ignorePublicAcls', 'restrictPublicBuckets'],
    ofBucket,
  ),
  'aws:s3/bucketOwnershipControls:BucketOwnershipControls': of<BucketOwnershipControlsArgs>(
    '{bucket}',
    ['bucket', 'rule'],
    ofBucket,
  ),
  'aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration':
    of<BucketServerSideEncryptionConfigurationArgs>('{bucket}', ['bucket', 'rules'], ofBucket),
  'aws:s3/bucketVersioning:BucketVersioning': of<BucketVersioningArgs>(
    '{bucket}',
    ['bucket', 'versioningConfiguration'],
    ofBucket,
  ),
  'aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration': of<BucketLifecycleConfigurationArgs>(
    '{bucket}',
    ['bucket', 'rules'],
    ofBucket,
  ),
  'aws:s3/bucketPolicy:BucketPolicy': of<BucketPolicyArgs>('{bucket}', ['bucket', 'policy'], ofBucket),

  'aws:efs/fileSystem:FileSystem': of<FileSystemArgs>(
    'fs-#',
    ['encrypted', 'throughputMode', 'lifecyclePolicies', 'tags'],
    { replacing: ['encrypted'], outputs: { arn: arn('elasticfilesystem', 'file-system/{id}') } },
  ),
  'aws:efs/backupPolicy:BackupPolicy': of<BackupPolicyArgs>(
    '{fileSystemId}',
    ['fileSystemId', 'backupPolicy'],
    { replacing: ['fileSystemId'] },
  ),
  'aws:efs/fileSystemPolicy:FileSystemPolicy': of<FileSystemPolicyArgs>(
    '{fileSystemId}',
    ['fileSystemId', 'policy'],
    { replacing: ['fileSystemId'] },
  ),
  'aws:efs/mountTarget:MountTarget': of<MountTargetArgs>(
    'fsmt-#',
    ['fileSystemId', 'subnetId', 'securityGroups'],
    { replacing: ['fileSystemId', 'subnetId'] },
  ),

  'aws:elasticache/subnetGroup:SubnetGroup': of<CacheSubnetGroupArgs>(
    '{name}',
    ['name', 'description', 'subnetIds', 'tags'],
    {
      named: 'name',
      replacing: ['name'],
    },
  ),
  'aws:elasticache/parameterGroup:ParameterGroup': of<CacheParameterGroupArgs>(
    '{name}',
    GROUP_OF_PARAMETERS,
    {
      named: 'name',
      replacing: ['name', 'family', 'description'],
    },
  ),
  'aws:elasticache/replicationGroup:ReplicationGroup': of<ReplicationGroupArgs>(
    '{replicationGroupId}',
    [
      ...(['replicationGroupId', 'description', 'engine', 'engineVersion', 'nodeType', 'tags'] as const),
      ...(['numNodeGroups', 'replicasPerNodeGroup', 'clusterMode', 'port'] as const),
      ...(['automaticFailoverEnabled', 'multiAzEnabled'] as const),
      ...(['parameterGroupName', 'subnetGroupName', 'securityGroupIds', 'snapshotRetentionLimit'] as const),
      ...(['atRestEncryptionEnabled', 'transitEncryptionEnabled', 'transitEncryptionMode'] as const),
      ...(['authToken', 'autoMinorVersionUpgrade', 'durability'] as const),
    ],
    {
      named: 'replicationGroupId',
      longest: 40,
      replacing: ['replicationGroupId', 'subnetGroupName', 'port', 'atRestEncryptionEnabled'],
      outputs: { arn: arn('elasticache', 'replicationgroup:{id}') },
      effects: givenRedis,
    },
  ),

  'aws:rds/subnetGroup:SubnetGroup': of<SubnetGroupArgs>(
    '{name}',
    ['name', 'description', 'subnetIds', 'tags'],
    {
      named: 'name',
      replacing: ['name'],
    },
  ),
  'aws:rds/parameterGroup:ParameterGroup': of<ParameterGroupArgs>('{name}', GROUP_OF_PARAMETERS, {
    named: 'name',
    replacing: ['name', 'family', 'description'],
  }),
  'aws:rds/instance:Instance': of<InstanceArgs>(
    'db-#',
    [
      ...(['identifier', 'engine', 'engineVersion', 'instanceClass', 'multiAz', 'port', 'tags'] as const),
      ...(['allocatedStorage', 'maxAllocatedStorage', 'storageType', 'storageEncrypted'] as const),
      ...(['publiclyAccessible', 'dbName', 'username', 'password', 'dbSubnetGroupName'] as const),
      ...(['vpcSecurityGroupIds', 'parameterGroupName', 'backupRetentionPeriod'] as const),
      ...(['copyTagsToSnapshot', 'autoMinorVersionUpgrade', 'enabledCloudwatchLogsExports'] as const),
      ...(['deletionProtection', 'skipFinalSnapshot', 'finalSnapshotIdentifier'] as const),
      ...(['deleteAutomatedBackups'] as const),
    ],
    {
      named: 'identifier',
      taken: 'DBInstanceAlreadyExists',
      longest: 63,
      replacing: ['engine', 'dbName', 'username', 'storageEncrypted', 'dbSubnetGroupName'],
      outputs: {
        arn: arn('rds', 'db:{identifier}'),
        address: `{identifier}.c1a2b3c4d5e6.${REGION}.rds.amazonaws.com`,
      },
      effects: { ...deletionProtected, ...givenPostgres },
    },
  ),

  'aws:secretsmanager/secret:Secret': of<SecretArgs>(
    arn('secretsmanager', 'secret:{name}-AbCdEf'),
    ['name', 'description', 'recoveryWindowInDays', 'tags'],
    { named: 'name', replacing: ['name'], outputs: { arn: '{id}' } },
  ),
  'aws:secretsmanager/secretVersion:SecretVersion': of<SecretVersionArgs>(
    '{secretId}|#',
    ['secretId', 'secretString'],
    { replacing: ['secretId', 'secretString'], outputs: { versionId: '#', arn: '{secretId}' } },
  ),
};
