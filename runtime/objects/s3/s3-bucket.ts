import type { S3Client } from '@aws-sdk/client-s3';
import { attempt } from './attempts.ts';
import { explain, isOutage } from './failures.ts';
import type { S3Limits } from './s3-limits.ts';
import type { S3Location } from './s3-location.ts';

const LONGEST_KEY_BYTES = 1024;

/** Where the objects are, and how calls to it are made. */
export class S3Bucket {
  readonly client: S3Client;
  readonly limits: S3Limits;
  readonly #location: S3Location;

  constructor(client: S3Client, location: S3Location, limits: S3Limits) {
    this.client = client;
    this.limits = limits;
    this.#location = location;
  }

  get name(): string {
    return this.#location.bucket;
  }

  /** How commands name an object. */
  at(key: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.#location;
    const whole = prefix + key;
    if (Buffer.byteLength(whole) > LONGEST_KEY_BYTES) {
      throw new TypeError(
        `${JSON.stringify(whole)} is no object key: it has more than ${LONGEST_KEY_BYTES} bytes`,
      );
    }
    return { Bucket: bucket, Key: whole };
  }

  /** How a command names the objects whose keys begin alike. */
  under(prefix: string): { Bucket: string; Prefix: string } {
    return { Bucket: this.#location.bucket, Prefix: this.#location.prefix + prefix };
  }

  /** The key of a listed object. */
  keyOf(whole: string): string {
    return whole.slice(this.#location.prefix.length);
  }

  /** Makes a call that sends and answers little, again where that may help. */
  async call<T>(what: string, signal: AbortSignal, act: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await attempt(this.limits, signal, isOutage, (signal) => abortable(signal, () => act(signal)));
    } catch (error) {
      throw signal.aborted ? signal.reason : explain(what, error);
    }
  }
}

/** Ends with the signal, also while the SDK is busy with something else than the request, and with its reason. */
export async function abortable<T>(signal: AbortSignal, act: () => Promise<T>): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([act(), aborted.promise]);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
