import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import type { BucketArgs } from '@pulumi/aws/s3/bucket.js';
import type { Unwrap } from '@pulumi/pulumi';
import type { Effects } from '../aws-type.ts';

const s3 = () => new S3Client({ forcePathStyle: true, requestChecksumCalculation: 'WHEN_REQUIRED' });

/** A bucket in the S3 of the test. One that is not empty stays, unless it may go with what is in it. */
export const bucket: Effects<Unwrap<BucketArgs>> = {
  async created({ bucket: Bucket }) {
    await s3().send(new CreateBucketCommand({ Bucket }));
    return {};
  },
  async deleting({ forceDestroy = false }, { id: Bucket }) {
    const client = s3();
    if (forceDestroy) await empty(client, Bucket);
    await client.send(new DeleteBucketCommand({ Bucket }));
  },
};

async function empty(client: S3Client, Bucket: string): Promise<void> {
  for (;;) {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
    if (Contents.length === 0) return;
    for (const { Key } of Contents) await client.send(new DeleteObjectCommand({ Bucket, Key }));
  }
}
