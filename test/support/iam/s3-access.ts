import type { Access } from './evaluate-policy.ts';

export interface Asked {
  method: string;
  /** Path and query, the bucket in the path. */
  url: string;
  body: string;
}

/**
 * What IAM is asked for one request to S3 or STS, as "Actions, resources, and condition keys" of both have it. Throws
 * for a request that it knows no meaning of.
 */
export function requiredAccess({ method, url, body }: Asked): Access[] {
  const { pathname, searchParams: query } = new URL(url, 'http://s3');
  const [, bucket = '', ...rest] = pathname.split('/').map(decodeURIComponent);
  const key = rest.join('/');
  if (bucket === '') return assumedRole(method, body);
  if (key === '') return onBucket(method, bucket, query, body);
  return [{ action: onObject(method, query), resource: `arn:aws:s3:::${bucket}/${key}` }];
}

/** Who may not list a bucket is told that an object is forbidden, and not that it is missing. */
export function accessToMissing({ method, url }: Asked): Access[] {
  const [, bucket = '', key = ''] = new URL(url, 'http://s3').pathname.split('/');
  return ['GET', 'HEAD'].includes(method) && key !== '' ? [listing(bucket, null)] : [];
}

function onObject(method: string, query: URLSearchParams): string {
  const ofUpload = query.has('uploadId');
  switch (method) {
    case 'GET':
    case 'HEAD':
      return ofUpload ? 's3:ListMultipartUploadParts' : 's3:GetObject';
    case 'DELETE':
      return ofUpload ? 's3:AbortMultipartUpload' : 's3:DeleteObject';
    case 'PUT':
      return 's3:PutObject';
    case 'POST':
      if (ofUpload || query.has('uploads')) return 's3:PutObject';
  }
  throw new Error(`What ${method} of an object with ${query} wants is not known.`);
}

function onBucket(method: string, bucket: string, query: URLSearchParams, body: string): Access[] {
  if (method === 'GET' && query.has('list-type')) return [listing(bucket, query.get('prefix'))];
  if (method === 'GET' && query.has('uploads'))
    return [{ action: 's3:ListBucketMultipartUploads', resource: `arn:aws:s3:::${bucket}` }];
  if (method === 'POST' && query.has('delete'))
    return [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => ({
      action: 's3:DeleteObject',
      resource: `arn:aws:s3:::${bucket}/${key}`,
    }));
  throw new Error(`What ${method} of a bucket with ${query} wants is not known.`);
}

function listing(bucket: string, prefix: string | null): Access {
  const context: Record<string, string> = prefix === null ? {} : { 's3:prefix': prefix };
  return { action: 's3:ListBucket', resource: `arn:aws:s3:::${bucket}`, context };
}

function assumedRole(method: string, body: string): Access[] {
  const form = new URLSearchParams(body);
  if (method !== 'POST' || form.get('Action') !== 'AssumeRole')
    throw new Error(`What ${method} with ${form.get('Action')} wants is not known.`);
  return [{ action: 'sts:AssumeRole', resource: form.get('RoleArn') ?? '' }];
}
