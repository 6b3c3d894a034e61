import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { HeadObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { BerthError } from '../../contracts/errors.ts';
import { exactContent } from '../exact-content.ts';
import type { PutCondition, Stored } from '../object-store.ts';
import { wrongContent } from '../put-checks.ts';
import { type AttemptLimits, attempt } from './attempts.ts';
import {
  absentWhen,
  explain,
  isConcurrentWrite,
  isNotFound,
  isOutage,
  isPreconditionFailed,
  tooSlow,
} from './failures.ts';
import { abortable, type S3Bucket } from './s3-bucket.ts';
import { SMALL_BYTES } from './s3-limits.ts';

/** In an object's metadata: which put wrote it. */
const WRITE_ID = 'berth-write';

export interface UploadRequest {
  key: string;
  content: Buffer | Readable;
  size: number;
  condition: PutCondition | undefined;
}

/** One put. What it sends again is the same write: one that was carried out unheard is recognised by its id. */
export class S3Upload {
  readonly #bucket: S3Bucket;
  readonly #request: UploadRequest;
  readonly #id = randomUUID();
  /** Whether a request of this put may have been carried out unheard. */
  #inDoubt = false;
  /** Whether a stream's content has all been sent. */
  #sent = false;

  constructor(bucket: S3Bucket, request: UploadRequest) {
    this.#bucket = bucket;
    this.#request = request;
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
    return this.#attempts(this.#bucket.limits, signal, (signal) => this.#send(body, signal));
  }

  async #runLarge(content: Buffer | Readable, signal: AbortSignal): Promise<Stored | 'conflict'> {
    const untimed = { totalMs: Number.POSITIVE_INFINITY, attemptMs: Number.POSITIVE_INFINITY };
    if (Buffer.isBuffer(content)) {
      const limits = { ...untimed, attempts: this.#bucket.limits.attempts };
      return this.#attempts(limits, signal, (signal) => this.#stream(content, signal));
    }
    try {
      return await this.#attempts({ ...untimed, attempts: 1 }, signal, (signal) =>
        this.#stream(content, signal),
      );
    } catch (error) {
      // It can't be sent again, but it can be asked for.
      const mayBeThere = this.#sent && isOutage(error);
      const own = mayBeThere ? await this.#ownWrite(signal).catch(() => undefined) : undefined;
      if (own === undefined) throw error;
      return own;
    }
  }

  async #attempts(
    limits: AttemptLimits,
    signal: AbortSignal,
    send: (signal: AbortSignal) => Promise<Stored>,
  ): Promise<Stored | 'conflict'> {
    const mayPass = (error: unknown) => isOutage(error) || this.#isUndecided(error);
    try {
      return await attempt(limits, signal, mayPass, async (signal) => {
        try {
          return await send(signal);
        } catch (error) {
          this.#inDoubt ||= isOutage(error);
          throw error;
        }
      });
    } catch (error) {
      if (signal.aborted || !(this.#isConflict(error) || this.#isUndecided(error))) throw error;
      if (!this.#inDoubt) return 'conflict';
      const own = await this.#ownWrite(signal);
      if (own !== undefined) return own;
      if (this.#isConflict(error)) return 'conflict';
      // The write that is under way may be the one that went unheard.
      const why = `The object store did not put ${this.#request.key}: a write to it is still under way.`;
      throw new BerthError('STORE_UNAVAILABLE', why, {}, error);
    }
  }

  #isConflict(error: unknown): boolean {
    return this.#request.condition !== undefined && isPreconditionFailed(error);
  }

  #isUndecided(error: unknown): boolean {
    return this.#request.condition !== undefined && isConcurrentWrite(error);
  }

  /** What is there, if this put wrote it. */
  async #ownWrite(signal: AbortSignal): Promise<Stored | undefined> {
    const { key } = this.#request;
    const command = new HeadObjectCommand(this.#bucket.at(key));
    const head = await this.#bucket.call(`look at ${key}`, signal, (abortSignal) =>
      this.#bucket.client.send(command, { abortSignal }).catch(absentWhen(isNotFound)),
    );
    return head?.Metadata?.[WRITE_ID] === this.#id ? { version: versionOf(head) } : undefined;
  }

  async #stream(content: Buffer | Readable, signal: AbortSignal): Promise<Stored> {
    const { stallMs } = this.#bucket.limits;
    const body = this.#exact(content, signal);
    const failed = new AbortController();
    body.once('error', () => failed.abort(new WrongContent(body.failure)));
    let taken = -1;
    let since = performance.now();
    const watch = setInterval(() => {
      if (body.taken !== taken || body.starving) [taken, since] = [body.taken, performance.now()];
      else if (performance.now() - since >= stallMs) failed.abort(tooSlow(stallMs));
    }, stallMs / 20);
    try {
      return await this.#send(body, AbortSignal.any([signal, failed.signal]));
    } finally {
      clearInterval(watch);
      this.#sent = body.readableEnded;
      // A request that was answered before its end goes no further.
      if (!this.#sent) failed.abort();
      body.destroy();
    }
  }

  async #send(body: Buffer | Readable, signal: AbortSignal): Promise<Stored> {
    const { key, size, condition } = this.#request;
    const command = new PutObjectCommand({
      ...this.#bucket.at(key),
      Body: body,
      ContentLength: size,
      Metadata: { [WRITE_ID]: this.#id },
      ...headersOf(condition),
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

/** The content's own failure, whatever it looks like: no fault of the store. */
class WrongContent extends Error {
  constructor(cause: unknown) {
    super('the content failed', { cause });
  }
}

function headersOf(condition: PutCondition | undefined): { IfNoneMatch?: string; IfMatch?: string } {
  if (condition === undefined) return {};
  return 'absent' in condition ? { IfNoneMatch: '*' } : { IfMatch: condition.version };
}

export function versionOf({ ETag }: { ETag?: string | undefined }): string {
  if (ETag === undefined) throw new Error('it told no ETag');
  return ETag;
}
