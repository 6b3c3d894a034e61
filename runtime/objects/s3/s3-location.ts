import { isKey } from '../object-key.ts';

export interface S3Location {
  bucket: string;
  /** Before every key, with its slash; empty for none. */
  prefix: string;
}

/** Of `s3://bucket/prefix`; undefined for anything else. */
export function parseS3Url(url: string): S3Location | undefined {
  const [, bucket, path = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(url) ?? [];
  if (bucket === undefined) return undefined;
  const prefix = path.replace(/\/$/, '');
  if (prefix === '') return { bucket, prefix };
  return isKey(prefix) ? { bucket, prefix: `${prefix}/` } : undefined;
}
