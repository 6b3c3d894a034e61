import { Bucket } from '@pulumi/aws/s3/bucket.js';
import { BucketLifecycleConfiguration } from '@pulumi/aws/s3/bucketLifecycleConfiguration.js';
import { BucketOwnershipControls } from '@pulumi/aws/s3/bucketOwnershipControls.js';
import { BucketPolicy } from '@pulumi/aws/s3/bucketPolicy.js';
import { BucketPublicAccessBlock } from '@pulumi/aws/s3/bucketPublicAccessBlock.js';
import { BucketServerSideEncryptionConfiguration } from '@pulumi/aws/s3/bucketServerSideEncryptionConfiguration.js';
import { BucketVersioning } from '@pulumi/aws/s3/bucketVersioning.js';
import type { EcsPlace } from './ecs-place.ts';
import { tlsOnly } from './policies.ts';

/** Below it is everything that the runtime keeps. */
export const OBJECT_PREFIX = 'berth';

const OLD_VERSION_DAYS = 30;

/** Saved files: private, encrypted, versioned. What was overwritten or deleted stays for a while. */
export function ecsBucket({ name, parent, tags }: EcsPlace, destroyData: boolean): Bucket {
  const called = `${name}-objects`;
  const options = { parent, retainOnDelete: !destroyData };
  const made = new Bucket(called, { forceDestroy: destroyData, tags }, options);
  const bucket = made.id;
  const closed = new BucketPublicAccessBlock(
    called,
    {
      bucket,
      blockPublicAcls: true,
      blockPublicPolicy: true,
      ignorePublicAcls: true,
      restrictPublicBuckets: true,
    },
    options,
  );
  new BucketOwnershipControls(called, { bucket, rule: { objectOwnership: 'BucketOwnerEnforced' } }, options);
  new BucketServerSideEncryptionConfiguration(
    called,
    {
      bucket,
      rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: 'AES256' } }],
    },
    options,
  );
  const versioned = new BucketVersioning(
    called,
    { bucket, versioningConfiguration: { status: 'Enabled' } },
    options,
  );
  new BucketLifecycleConfiguration(
    called,
    {
      bucket,
      rules: [
        {
          id: 'old-versions',
          status: 'Enabled',
          filter: {},
          noncurrentVersionExpiration: { noncurrentDays: OLD_VERSION_DAYS },
          abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
          expiration: { expiredObjectDeleteMarker: true },
        },
      ],
    },
    { ...options, dependsOn: [versioned] },
  );
  new BucketPolicy(
    called,
    { bucket, policy: made.arn.apply((arn) => JSON.stringify(tlsOnly(arn))) },
    { ...options, dependsOn: [closed] },
  );
  return made;
}
