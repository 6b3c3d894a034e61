import {
  AbortMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type MultipartUpload,
  type S3Client,
} from '@aws-sdk/client-s3';
import { connectS3 } from '../../../runtime/objects/s3/s3-connection.ts';
import { objectStore } from '../../support/services/provided.ts';

/** Keys below the prefix of uploads that nobody completed or gave up. */
export function unfinishedUploads(prefix: string): Promise<string[]> {
  return withUploads(prefix, async (_, uploads) => uploads.map(({ Key = '' }) => Key));
}

/** How many parts those uploads have. */
export function unfinishedParts(prefix: string): Promise<number> {
  return withUploads(prefix, async (client, uploads) => {
    const lists = uploads.map(({ Key, UploadId }) =>
      client.send(new ListPartsCommand({ Bucket: objectStore().bucket, Key, UploadId })),
    );
    return (await Promise.all(lists)).flatMap(({ Parts: parts = [] }) => parts).length;
  });
}

/** As a rule of the bucket would. */
export function giveUpUploads(prefix: string): Promise<void> {
  return withUploads(prefix, async (client, uploads) => {
    for (const { Key, UploadId } of uploads) {
      await client.send(new AbortMultipartUploadCommand({ Bucket: objectStore().bucket, Key, UploadId }));
    }
  });
}

async function withUploads<T>(
  prefix: string,
  act: (client: S3Client, uploads: MultipartUpload[]) => Promise<T>,
): Promise<T> {
  const { bucket, env } = objectStore();
  const client = connectS3(env);
  try {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix });
    const { Uploads: uploads = [] } = await client.send(command);
    return await act(client, uploads);
  } finally {
    client.destroy();
  }
}
