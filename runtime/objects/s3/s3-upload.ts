import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { exactContent } from '../exact-content.ts';
import type { PutCondition, Stored } from '../object-store.ts';
import { wrongContent } from '../put-checks.ts';
import { explain, isOutage } from './failures.ts';
import { OneWrite, versionOf } from './one-write.ts';
import { abortable, type S3Bucket } from './s3-bucket.ts';
import { SMALL_BYTES, untimed } from './s3-limits.ts';
import { sendWatched, WrongContent } from './send-watched.ts';

export interface UploadRequest {
  key: string;
  content: Buffer | Readable;
  size: number;
  condition: PutCondition | undefined;
}

/** One put in one request. */
export class S3Upload {
  readonly #bucket: S3Bucket;
  readonly #request: UploadRequest;
  readonly #write: OneWrite;
  /** Whether a stream's content has all been sent. */
  #sent = false;

  constructor(bucket: S3Bucket, request: UploadRequest) {
    this.#bucket = bucket;
    this.#request = request;
    this.#write = new OneWrite(bucket, request.key, request.condition);
  }

  async run(signal: AbortSignal): Promise<Stored | 'conflict'> {
    try {
      const { size, content } = this.#request;
      if (size <= SMALL_BYTES) return await this.#runSmall(await this.#whole(signal), signal);
      return await this.#runLarge(content, signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (error instanceof WrongContent) throw error.cause;
      throw explain(`put ${this.#request.key}`, error);
    }
  }

  async #runSmall(body: Buffer, signal: AbortSignal): Promise<Stored | 'conflict'> {
    return this.#write.attempts(this.#bucket.limits, signal, (signal) => this.#send(body, signal));
  }

  async #runLarge(content: Buffer | Readable, signal: AbortSignal): Promise<Stored | 'conflict'> {
    const stream = (signal: AbortSignal) => this.#stream(content, signal);
    if (Buffer.isBuffer(content)) {
      return this.#write.attempts(untimed(this.#bucket.limits.attempts), signal, stream);
    }
    try {
      return await this.#write.attempts(untimed(1), signal, stream);
    } catch (error) {
      // It can't be sent again, but it can be asked for.
      const mayBeThere = this.#sent && isOutage(error);
      const own = mayBeThere ? await this.#write.found(signal).catch(() => undefined) : undefined;
      if (own === undefined) throw error;
      return own;
    }
  }

  async #stream(content: Buffer | Readable, signal: AbortSignal): Promise<Stored> {
    const body = this.#exact(content, signal);
    try {
      return await sendWatched(body, this.#bucket.limits.stallMs, signal, (signal) =>
        this.#send(body, signal),
      );
    } finally {
      this.#sent = body.readableEnded;
    }
  }

  async #send(body: Buffer | Readable, signal: AbortSignal): Promise<Stored> {
    const { key, size } = this.#request;
    const command = new PutObjectCommand({
      ...this.#bucket.at(key),
      Body: body,
      ContentLength: size,
      ...this.#write.metadata,
      ...this.#write.condition,
    });
    const client = this.#bucket.client;
    return {
      version: versionOf(await abortable(signal, () => client.send(command, { abortSignal: signal }))),
    };
  }

  async #whole(signal: AbortSignal): Promise<Buffer> {
    const { content } = this.#request;
    if (Buffer.isBuffer(content)) return content;
    const body = this.#exact(content, signal);
    try {
      return await buffer(body);
    } catch {
      throw new WrongContent(body.failure);
    }
  }

  #exact(content: Buffer | Readable, signal: AbortSignal) {
    const { key, size } = this.#request;
    const { stallMs } = this.#bucket.limits;
    return exactContent(content, { size, stallMs, signal, failure: (problem) => wrongContent(key, problem) });
  }
}
