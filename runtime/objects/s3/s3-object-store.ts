import { Readable } from 'node:stream';
import {
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
} from '@aws-sdk/client-s3';
import { BerthError } from '../../contracts/errors.ts';
import { CallsUnderWay } from '../calls-under-way.ts';
import { exactContent } from '../exact-content.ts';
import { checkKey, checkPrefix, isKey } from '../object-key.ts';
import type {
  ContentSize,
  ListedObject,
  ObjectStore,
  PutCondition,
  PutOptions,
  Stored,
  StoredContent,
  StoredObject,
} from '../object-store.ts';
import { checkPut } from '../put-checks.ts';
import { deleteBatch, LARGEST_BATCH } from './delete-batch.ts';
import { absentWhen, explain, isNoSuchKey, isNotFound } from './failures.ts';
import { MultipartUpload } from './multipart-upload.ts';
import { versionOf } from './one-write.ts';
import { S3Bucket } from './s3-bucket.ts';
import { connectS3, endpointOf } from './s3-connection.ts';
import { S3_LIMITS, type S3Limits } from './s3-limits.ts';
import type { S3Location } from './s3-location.ts';
import { S3Upload } from './s3-upload.ts';

export interface S3Options {
  location: S3Location;
  /** The standard AWS variables: region, endpoint, credentials. */
  env: Readonly<Record<string, string | undefined>>;
  limits?: Partial<S3Limits>;
}

/** Objects in a bucket of S3, or of anything that speaks as it does. A version is the ETag. */
export class S3ObjectStore implements ObjectStore {
  readonly #bucket: S3Bucket;
  readonly #calls = new CallsUnderWay();
  /** Whether it may be a store that knows no newer checksum than MD5. */
  readonly #sendsMd5: boolean;

  constructor({ location, env, limits }: S3Options) {
    this.#bucket = new S3Bucket(connectS3(env), location, { ...S3_LIMITS, ...limits });
    this.#sendsMd5 = endpointOf(env) !== undefined;
  }

  async put(key: string, content: Buffer | Readable, options: PutOptions): Promise<Stored | 'conflict'> {
    checkKey(key);
    const { size, condition, signal } = options;
    try {
      checkPut(key, content, size);
      const upload = this.#upload(key, content, size, condition);
      return await this.#calls.run((signal) => upload.run(signal), signal);
    } finally {
      if (!Buffer.isBuffer(content)) content.destroy();
    }
  }

  async get(key: string): Promise<StoredContent | undefined> {
    checkKey(key);
    const what = `get ${key}`;
    const { client, limits } = this.#bucket;
    const command = new GetObjectCommand(this.#bucket.at(key));
    const found = await this.#call(what, async (abortSignal) => {
      const answer = await client.send(command, { abortSignal }).catch(absentWhen(isNoSuchKey));
      return answer && { ...objectOf(answer), body: bodyOf(answer.Body) };
    });
    if (found === undefined) return undefined;
    const { body, ...object } = found;
    const content = exactContent(body, {
      size: object.size,
      stallMs: limits.stallMs,
      failure: (problem) =>
        new BerthError('STORE_UNAVAILABLE', `The object store did not ${what}: the content ${problem}.`),
      sourceFailure: (error) => explain(what, error),
    });
    return { ...object, content: this.#calls.follow(content) };
  }

  async head(key: string): Promise<StoredObject | undefined> {
    checkKey(key);
    const { client } = this.#bucket;
    const command = new HeadObjectCommand(this.#bucket.at(key));
    return this.#call(`look at ${key}`, async (abortSignal) => {
      const answer = await client.send(command, { abortSignal }).catch(absentWhen(isNotFound));
      if (answer !== undefined) return objectOf(answer);
      // An answer without a body does not say whether it is the object or the bucket that is not there.
      await this.#page('', undefined, abortSignal, 1);
      return undefined;
    });
  }

  list(prefix: string): AsyncIterable<ListedObject> {
    checkPrefix(prefix);
    return this.#list(prefix);
  }

  async delete(keys: readonly string[]): Promise<void> {
    for (const key of keys) checkKey(key);
    for (let at = 0; at < keys.length; at += LARGEST_BATCH) {
      const some = keys.slice(at, at + LARGEST_BATCH);
      await this.#call(`delete ${some.length} objects`, (signal) =>
        deleteBatch(this.#bucket, some, { md5: this.#sendsMd5, signal }),
      );
    }
  }

  async ping(): Promise<void> {
    await this.#call('answer', (signal) => this.#page('', undefined, signal, 1));
  }

  async close(): Promise<void> {
    await this.#calls.close();
    this.#bucket.client.destroy();
  }

  #upload(
    key: string,
    content: Buffer | Readable,
    size: ContentSize,
    condition: PutCondition | undefined,
  ): S3Upload | MultipartUpload {
    if (size !== 'unknown') return new S3Upload(this.#bucket, { key, content, size, condition });
    if (!Buffer.isBuffer(content)) return new MultipartUpload(this.#bucket, { key, content, condition });
    return new S3Upload(this.#bucket, { key, content, size: content.length, condition });
  }

  async *#list(prefix: string): AsyncGenerator<ListedObject> {
    let token: string | undefined;
    do {
      const page = await this.#call(`list ${prefix}`, (signal) => this.#page(prefix, token, signal));
      for (const listed of page.Contents ?? []) {
        const key = this.#bucket.keyOf(listed.Key ?? '');
        // Others may have put folder markers and the like below the prefix.
        if (isKey(key)) yield { key, ...objectOf({ ...listed, ContentLength: listed.Size }) };
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
  }

  #page(
    prefix: string,
    token: string | undefined,
    abortSignal: AbortSignal,
    limit = 1000,
  ): Promise<ListObjectsV2CommandOutput> {
    const command = new ListObjectsV2Command({
      ...this.#bucket.under(prefix),
      MaxKeys: limit,
      ...(token === undefined ? {} : { ContinuationToken: token }),
    });
    return this.#bucket.client.send(command, { abortSignal });
  }

  #call<T>(what: string, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#calls.run((signal) => this.#bucket.call(what, signal, act));
  }
}

function bodyOf(body: unknown): Readable {
  if (!(body instanceof Readable)) throw new Error('it told no content');
  return body;
}

interface Told {
  ETag?: string | undefined;
  ContentLength?: number | undefined;
  LastModified?: Date | undefined;
}

function objectOf({ ETag, ContentLength: size, LastModified }: Told): StoredObject {
  if (size === undefined || LastModified === undefined) throw new Error('it told no size or no time');
  return { version: versionOf({ ETag }), size, modifiedAt: LastModified.getTime() };
}
