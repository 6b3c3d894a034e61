import { object, several } from './reading.ts';
import type { StackResource, StackRule } from './rule.ts';

const BUCKETS = ['aws:s3/bucket:Bucket', 'aws:s3/bucketV2:BucketV2'];
const SHUT = ['blockPublicAcls', 'blockPublicPolicy', 'ignorePublicAcls', 'restrictPublicBuckets'] as const;

interface Companion {
  types: readonly string[];
  lacks: string;
  /** Whether one does what it is for. */
  does: (of: StackResource) => boolean;
}

/** What a bucket never goes without. */
const COMPANIONS: readonly Companion[] = [
  {
    types: ['aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock'],
    lacks: 'is not shut to the public in all four ways',
    does: ({ props }) => SHUT.every((way) => props[way] === true),
  },
  {
    types: [
      'aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration',
      'aws:s3/bucketServerSideEncryptionConfigurationV2:BucketServerSideEncryptionConfigurationV2',
    ],
    lacks: 'does not say how it is encrypted',
    does: () => true,
  },
  {
    types: ['aws:s3/bucketPolicy:BucketPolicy'],
    lacks: 'can be spoken to without TLS',
    does: ({ props }) => refusesPlainHttp(props.policy),
  },
];

function refusesPlainHttp(policy: unknown): boolean {
  const document = typeof policy === 'string' ? JSON.parse(policy) : policy;
  return several(object(document).Statement)
    .map(object)
    .some(({ Effect, Condition }) => {
      const bool = object(object(Condition).Bool);
      return Effect === 'Deny' && String(bool['aws:SecureTransport']) === 'false';
    });
}

export const privateBuckets: StackRule = {
  name: 'private-buckets',
  description: 'Buckets are shut to the public, encrypted, and take nothing but TLS.',
  level: 'mandatory',
  fix:
    'Give the bucket a BucketPublicAccessBlock with all four set, a server-side encryption configuration, ' +
    'and a policy that denies whatever has aws:SecureTransport false',
  check(resources) {
    const buckets = resources.filter(({ type }) => BUCKETS.includes(type));
    return buckets.flatMap((bucket) => {
      const around = resources.filter(({ after }) => after.includes(`${bucket.type}::${bucket.name}`));
      return COMPANIONS.filter(
        ({ types, does }) => !around.some((each) => types.includes(each.type) && does(each)),
      ).map(({ lacks }) => ({ resource: bucket, problem: `The bucket ${bucket.name} ${lacks}` }));
    });
  },
};
