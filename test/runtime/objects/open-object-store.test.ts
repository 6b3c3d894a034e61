import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bundle } from '../../../images/builder/bundle.ts';
import { openObjectStore } from '../../../runtime/assembly/open-object-store.ts';
import { DataDirectory } from '../../../runtime/lifecycle/data-directory.ts';
import { parseS3Url } from '../../../runtime/objects/s3/s3-location.ts';
import { S3ObjectStore } from '../../../runtime/objects/s3/s3-object-store.ts';
import { keysOf, putText, text } from '../../contract/object-store/contents.ts';
import { describeWith, objectStore } from '../../support/services/provided.ts';

let folder: string;
let data: DataDirectory;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-open-objects-'));
  data = new DataDirectory(join(folder, 'data'));
});
afterEach(() => {
  data[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

const opener = fileURLToPath(new URL('../../../runtime/assembly/open-object-store.ts', import.meta.url));

/** Opens the configured store in a process of its own, and tells whether the SDK was loaded for it. */
function program(): string {
  return `
    import { openObjectStore } from ${JSON.stringify(opener)};
    import { createRequire } from 'node:module';
    const data = { file: (name: string) => process.argv[2] + '/' + name } as never;
    const config = { OBJECT_STORE_URL: process.env.OBJECT_STORE_URL };
    const store = await openObjectStore(config, data, process.env);
    await store.put('k', Buffer.from('x'), { size: 1 });
    await store.delete(['k']);
    await store.close();
    const loaded = Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('@aws-sdk'));
    console.log(JSON.stringify({ loaded }));`;
}

async function run(script: string, env: Record<string, string> = {}): Promise<unknown> {
  const options = { env: { ...process.env, NODE_NO_WARNINGS: '1', ...env } };
  return JSON.parse((await promisify(execFile)(process.execPath, [script, folder], options)).stdout);
}

describe('without OBJECT_STORE_URL', () => {
  it('objects are in a folder of the data directory', async () => {
    const store = await openObjectStore({ OBJECT_STORE_URL: undefined }, data, {});
    await putText(store, 'a/b', 'x');
    expect(await text(store, 'a/b')).toBe('x');
    expect(existsSync(join(folder, 'data', 'objects', 'kept'))).toBe(true);
    await store.close();
  });

  it("Amazon's SDK is not loaded", async () => {
    const script = join(folder, 'open.ts');
    writeFileSync(script, program());
    expect(await run(script)).toEqual({ loaded: false });
  });
});

describeWith('s3', 'with OBJECT_STORE_URL', () => {
  it('objects are in the bucket, below the prefix', async () => {
    const { url, bucket, env } = objectStore();
    const prefix = `open/${randomUUID()}`;
    const store = await openObjectStore({ OBJECT_STORE_URL: `${url}/${prefix}/` }, data, env);
    await putText(store, 'a/b', 'x');
    const whole = new S3ObjectStore({ location: { bucket, prefix: '' }, env });
    expect(await keysOf(whole, prefix)).toEqual([`${prefix}/a/b`]);
    expect(await keysOf(store)).toEqual(['a/b']);
    await store.delete(['a/b']);
    await Promise.all([store.close(), whole.close()]);
  });

  it('the endpoint is the one of all services where S3 has none of its own', async () => {
    const { url, endpoint, env } = objectStore();
    const { AWS_ENDPOINT_URL_S3: _, AWS_REGION: __, ...rest } = env;
    const config = { OBJECT_STORE_URL: `${url}/open/${randomUUID()}` };
    const store = await openObjectStore(config, data, { ...rest, AWS_ENDPOINT_URL: endpoint });
    await store.ping();
    await store.close();
  });

  it("Amazon's SDK is loaded, also from a bundle", async () => {
    const { url, env } = objectStore();
    const configured = { ...env, OBJECT_STORE_URL: `${url}/open/${randomUUID()}` };
    const script = join(folder, 'open.ts');
    writeFileSync(script, program());
    expect(await run(script, configured)).toEqual({ loaded: true });
    await bundle({ entry: script, name: 'open.mjs', folder: join(folder, 'dist') });
    expect(await run(join(folder, 'dist', 'open.mjs'), configured)).toEqual({ loaded: false });
  });
});

describe('OBJECT_STORE_URL', () => {
  it.each([
    ['s3://bucket', { bucket: 'bucket', prefix: '' }],
    ['s3://bucket/', { bucket: 'bucket', prefix: '' }],
    ['s3://my.bucket-1/a', { bucket: 'my.bucket-1', prefix: 'a/' }],
    ['s3://bucket/a/b/', { bucket: 'bucket', prefix: 'a/b/' }],
    ['s3://bucket/a b%20', { bucket: 'bucket', prefix: 'a b%20/' }],
  ])('%s names a place', (url, location) => {
    expect(parseS3Url(url)).toEqual(location);
  });

  it.each([
    's3://',
    's3://b',
    's3://Bucket',
    's3://-bucket',
    's3://bucket//a',
    's3://bucket/../a',
    's3:bucket',
    'http://x',
  ])('%s stops the start, as a wrong configuration does', async (url) => {
    const opening = openObjectStore({ OBJECT_STORE_URL: url }, data, {});
    await expect(opening).rejects.toMatchObject({ name: 'StartFailure', exitCode: 2 });
  });
});
