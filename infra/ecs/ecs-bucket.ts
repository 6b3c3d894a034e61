import type { Bucket } from '@pulumi/aws/s3/bucket.js';
import type { EcsPlace } from './ecs-place.ts';
import { privateBucket } from './private-bucket.ts';

/** Below it is everything that the runtime keeps. */
export const OBJECT_PREFIX = 'berth';

const OLD_VERSION_DAYS = 30;

/** Saved files. What was overwritten or deleted stays for a while. */
export function ecsBucket(place: EcsPlace, destroyData: boolean): Bucket {
  const { bucket } = privateBucket(place, {
    called: 'objects',
    stays: !destroyData,
    versioned: true,
    expiry: {
      noncurrentVersionExpiration: { noncurrentDays: OLD_VERSION_DAYS },
      abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
      expiration: { expiredObjectDeleteMarker: true },
    },
  });
  return bucket;
}
