import { Bucket } from '@pulumi/aws/s3/bucket.js';
import { BucketLifecycleConfiguration } from '@pulumi/aws/s3/bucketLifecycleConfiguration.js';
import { BucketOwnershipControls } from '@pulumi/aws/s3/bucketOwnershipControls.js';
import { BucketPolicy } from '@pulumi/aws/s3/bucketPolicy.js';
import { BucketPublicAccessBlock } from '@pulumi/aws/s3/bucketPublicAccessBlock.js';
import { BucketServerSideEncryptionConfiguration } from '@pulumi/aws/s3/bucketServerSideEncryptionConfiguration.js';
import { BucketVersioning } from '@pulumi/aws/s3/bucketVersioning.js';
import type { s3 } from '@pulumi/aws/types/input.js';
import { all, type Output } from '@pulumi/pulumi';
import type { EcsPlace } from './ecs-place.ts';
import { tlsOnly } from './policies.ts';
import { policy, type Statement } from './policy-document.ts';

interface Given {
  called: string;
  /** Whether it stays, with all that is in it, when the platform goes. */
  stays: boolean;
  /** What goes from it by itself. */
  expiry: Omit<s3.BucketLifecycleConfigurationRule, 'id' | 'status' | 'filter'>;
  versioned: boolean;
  /** What services of AWS may do with it. */
  allowed?: (arn: Output<string>) => Output<Statement[]>;
}

/** A bucket that is private, encrypted and off plain connections; and the policy that makes it so. */
export function privateBucket(
  { name, parent, tags }: EcsPlace,
  given: Given,
): { bucket: Bucket; closed: BucketPolicy } {
  const called = `${name}-${given.called}`;
  const options = { parent, retainOnDelete: given.stays };
  const made = new Bucket(called, { forceDestroy: !given.stays, tags }, options);
  const bucket = made.id;
  const hidden = new BucketPublicAccessBlock(
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
    { bucket, rules: [{ applyServerSideEncryptionByDefault: { sseAlgorithm: 'AES256' } }] },
    options,
  );
  const versions = given.versioned
    ? [new BucketVersioning(called, { bucket, versioningConfiguration: { status: 'Enabled' } }, options)]
    : [];
  new BucketLifecycleConfiguration(
    called,
    { bucket, rules: [{ id: 'expiry', status: 'Enabled', filter: {}, ...given.expiry }] },
    { ...options, dependsOn: versions },
  );
  const closed = new BucketPolicy(
    called,
    {
      bucket,
      policy: all([made.arn, given.allowed?.(made.arn) ?? []]).apply(([arn, allowed]) =>
        JSON.stringify(policy(...tlsOnly(arn).Statement, ...allowed)),
      ),
    },
    { ...options, dependsOn: [hidden] },
  );
  return { bucket: made, closed };
}
