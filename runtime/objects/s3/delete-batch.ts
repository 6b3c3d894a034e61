import { createHash } from 'node:crypto';
import { DeleteObjectsCommand } from '@aws-sdk/client-s3';
import type { S3Bucket } from './s3-bucket.ts';

export const LARGEST_BATCH = 1000;

/** Deletes up to 1000 objects in one request. */
export async function deleteBatch(
  bucket: S3Bucket,
  keys: readonly string[],
  options: { md5: boolean; signal: AbortSignal },
): Promise<void> {
  const Objects = keys.map((key) => ({ Key: bucket.at(key).Key }));
  const command = new DeleteObjectsCommand({ Bucket: bucket.name, Delete: { Objects, Quiet: true } });
  if (options.md5) addMd5(command);
  const { Errors: failures = [] } = await bucket.client.send(command, { abortSignal: options.signal });
  const [failed] = failures;
  if (failed === undefined) return;
  const error = new Error(`${failed.Message}, for ${failed.Key} and ${failures.length - 1} more`);
  error.name = failed.Code ?? 'Error';
  throw error;
}

/** The request must carry a checksum, and stores other than Amazon's may know no other than this one. */
function addMd5(command: DeleteObjectsCommand): void {
  command.middlewareStack.add(
    (next) => async (args) => {
      const { request } = args;
      if (isRequest(request))
        request.headers['content-md5'] = createHash('md5').update(request.body).digest('base64');
      return next(args);
    },
    { step: 'build', name: 'addMd5' },
  );
}

function isRequest(value: unknown): value is { headers: Record<string, string>; body: string | Uint8Array } {
  if (typeof value !== 'object' || value === null || !('headers' in value) || !('body' in value))
    return false;
  return typeof value.body === 'string' || value.body instanceof Uint8Array;
}
