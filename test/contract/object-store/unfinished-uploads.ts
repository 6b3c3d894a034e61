import { ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { connectS3 } from '../../../runtime/objects/s3/s3-connection.ts';
import { objectStore } from '../../support/services/provided.ts';

/** Keys below the prefix of which there are parts of an upload that nobody completed or gave up. */
export async function unfinishedUploads(prefix: string): Promise<string[]> {
  const { bucket, env } = objectStore();
  const client = connectS3(env);
  try {
    const { Uploads: uploads = [] } = await client.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }),
    );
    return uploads.map(({ Key = '' }) => Key);
  } finally {
    client.destroy();
  }
}
