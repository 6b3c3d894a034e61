import type { Config } from '../contracts/environment.ts';
import type { DataDirectory } from '../lifecycle/data-directory.ts';
import { StartFailure } from '../lifecycle/start-failure.ts';
import type { ObjectStore } from '../objects/object-store.ts';

/** S3 where it is configured, else a folder in the data directory. An S3 that is away is waited for behind, not here. */
export async function openObjectStore(
  config: Pick<Config, 'OBJECT_STORE_URL'>,
  data: DataDirectory,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ObjectStore> {
  const url = config.OBJECT_STORE_URL;
  if (url === undefined) {
    const { DirectoryObjectStore } = await import('../objects/directory/directory-object-store.ts');
    return DirectoryObjectStore.open(data.file('objects'));
  }
  const { parseS3Url } = await import('../objects/s3/s3-location.ts');
  const location = parseS3Url(url);
  if (location === undefined) {
    throw new StartFailure(`OBJECT_STORE_URL wants s3://bucket/prefix, but is ${JSON.stringify(url)}`, 2);
  }
  // Only now: the SDK takes its time and memory.
  const { S3ObjectStore } = await import('../objects/s3/s3-object-store.ts');
  return new S3ObjectStore({ location, env });
}
