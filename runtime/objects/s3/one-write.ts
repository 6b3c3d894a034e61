import { randomUUID } from 'node:crypto';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { BerthError } from '../../contracts/errors.ts';
import type { PutCondition, Stored } from '../object-store.ts';
import { type AttemptLimits, attempt } from './attempts.ts';
import { absentWhen, isConcurrentWrite, isNotFound, isOutage, isPreconditionFailed } from './failures.ts';
import type { S3Bucket } from './s3-bucket.ts';

/** In an object's metadata: which put wrote it. */
const WRITE_ID = 'berth-write';

/** One write to a key, however often it is sent: one that was carried out unheard is recognised by its id. */
export class OneWrite {
  readonly #bucket: S3Bucket;
  readonly #key: string;
  readonly #condition: PutCondition | undefined;
  readonly #id = randomUUID();
  /** Whether a request of it may have been carried out unheard. */
  #inDoubt = false;

  constructor(bucket: S3Bucket, key: string, condition: PutCondition | undefined) {
    this.#bucket = bucket;
    this.#key = key;
    this.#condition = condition;
  }

  get inDoubt(): boolean {
    return this.#inDoubt;
  }

  /** What the request that makes the object says of it. */
  get metadata(): { Metadata: Record<string, string> } {
    return { Metadata: { [WRITE_ID]: this.#id } };
  }

  /** What the request that puts it into place asks. */
  get condition(): { IfNoneMatch?: string; IfMatch?: string } {
    if (this.#condition === undefined) return {};
    return 'absent' in this.#condition ? { IfNoneMatch: '*' } : { IfMatch: this.#condition.version };
  }

  /** Sends what puts it into place, and tells what came of it. */
  async attempts(
    limits: AttemptLimits,
    signal: AbortSignal,
    send: (signal: AbortSignal) => Promise<Stored>,
  ): Promise<Stored | 'conflict'> {
    const mayPass = (error: unknown) =>
      !this.#isConflict(error) && (isOutage(error) || this.#isUndecided(error));
    try {
      return await attempt(limits, signal, mayPass, async (signal) => {
        try {
          return await send(signal);
        } catch (error) {
          this.#inDoubt ||= isOutage(error) && !this.#isConflict(error);
          throw error;
        }
      });
    } catch (error) {
      if (signal.aborted || !(this.#isConflict(error) || this.#isUndecided(error))) throw error;
      if (!this.#inDoubt) return 'conflict';
      const own = await this.found(signal);
      if (own !== undefined) return own;
      if (this.#isConflict(error)) return 'conflict';
      // The write that is under way may be the one that went unheard.
      const why = `The object store did not put ${this.#key}: a write to it is still under way.`;
      throw new BerthError('STORE_UNAVAILABLE', why, {}, error);
    }
  }

  /** What is there, if this wrote it. */
  async found(signal: AbortSignal): Promise<Stored | undefined> {
    const command = new HeadObjectCommand(this.#bucket.at(this.#key));
    const head = await this.#bucket.call(`look at ${this.#key}`, signal, (abortSignal) =>
      this.#bucket.client.send(command, { abortSignal }).catch(absentWhen(isNotFound)),
    );
    return head?.Metadata?.[WRITE_ID] === this.#id ? { version: versionOf(head) } : undefined;
  }

  #isConflict(error: unknown): boolean {
    return this.#condition !== undefined && isPreconditionFailed(error);
  }

  #isUndecided(error: unknown): boolean {
    return this.#condition !== undefined && isConcurrentWrite(error);
  }
}

export function versionOf({ ETag }: { ETag?: string | undefined }): string {
  if (ETag === undefined) throw new Error('it told no ETag');
  return ETag;
}
