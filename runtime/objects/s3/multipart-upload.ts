import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { BerthError } from '../../contracts/errors.ts';
import { type ExactContent, exactContent } from '../exact-content.ts';
import type { PutCondition, Stored } from '../object-store.ts';
import { wrongContent } from '../put-checks.ts';
import { attempt } from './attempts.ts';
import { type ContentPart, ContentParts } from './content-parts.ts';
import { explain, isConcurrentWrite, isNoSuchUpload, isOutage } from './failures.ts';
import { OneWrite, versionOf } from './one-write.ts';
import { HELD_PARTS, MOST_PARTS } from './part-sizes.ts';
import { abortable, type S3Bucket } from './s3-bucket.ts';
import { brief, untimed } from './s3-limits.ts';
import { S3Upload } from './s3-upload.ts';
import { sendWatched } from './send-watched.ts';

interface Request {
  key: string;
  content: Readable;
  condition: PutCondition | undefined;
}

interface SentPart {
  PartNumber: number;
  ETag: string;
}

/** One put of content whose size is known when it has ended. What is of one part goes as one request. */
export class MultipartUpload {
  readonly #bucket: S3Bucket;
  readonly #request: Request;
  readonly #write: OneWrite;

  constructor(bucket: S3Bucket, request: Request) {
    this.#bucket = bucket;
    this.#request = request;
    this.#write = new OneWrite(bucket, request.key, request.condition);
  }

  async run(signal: AbortSignal): Promise<Stored | 'conflict'> {
    const { key, content, condition } = this.#request;
    const body = exactContent(content, {
      size: 'unknown',
      stallMs: this.#bucket.limits.stallMs,
      signal,
      failure: (problem) => wrongContent(key, problem),
    });
    body.on('error', () => {}); // who waits for parts sees it; nobody may be waiting
    try {
      const parts = new ContentParts(body);
      const first = await parts.next();
      if (!first.last) return await this.#runParts(body, parts, first, signal);
      const { bytes } = first;
      const upload = new S3Upload(this.#bucket, { key, content: bytes, size: bytes.length, condition });
      return await upload.run(signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw body.failure ?? explain(`put ${key}`, error);
    } finally {
      body.destroy();
    }
  }

  async #runParts(
    body: ExactContent,
    parts: ContentParts,
    first: ContentPart,
    signal: AbortSignal,
  ): Promise<Stored | 'conflict'> {
    const uploadId = await this.#create(signal);
    let outcome: Stored | 'conflict' = 'conflict';
    try {
      const sent = await this.#sendAll(uploadId, body, parts, first, signal);
      outcome = await this.#complete(uploadId, sent, signal);
    } finally {
      if (outcome === 'conflict') await this.#abandon(uploadId);
    }
    return outcome;
  }

  async #create(signal: AbortSignal): Promise<string> {
    const { key } = this.#request;
    const command = new CreateMultipartUploadCommand({ ...this.#bucket.at(key), ...this.#write.metadata });
    const { UploadId } = await this.#bucket.call(`begin to put ${key}`, signal, (abortSignal) =>
      this.#bucket.client.send(command, { abortSignal }),
    );
    if (UploadId === undefined) throw new Error('it told no upload');
    return UploadId;
  }

  /** Sends parts beside each other, as many as may be held. Once it has thrown, none is on its way. */
  async #sendAll(
    uploadId: string,
    body: ExactContent,
    parts: ContentParts,
    first: ContentPart,
    signal: AbortSignal,
  ): Promise<SentPart[]> {
    const sent: SentPart[] = [];
    const sending = new Set<Promise<void>>();
    const failed = new AbortController();
    const either = AbortSignal.any([signal, failed.signal]);
    const send = async (part: ContentPart): Promise<void> => {
      try {
        sent.push(await this.#sendPart(uploadId, part, either));
        parts.giveBack(part);
      } catch (error) {
        failed.abort(error);
        body.destroy(failed.signal.reason); // no more of it is waited for
      }
    };
    const begin = (part: ContentPart) => {
      const going = send(part).finally(() => sending.delete(going));
      sending.add(going);
    };
    try {
      begin(first);
      for (let part = first; !part.last; begin(part)) {
        if (part.number === MOST_PARTS) throw this.#tooLarge();
        while (sending.size >= HELD_PARTS) await Promise.race(sending);
        either.throwIfAborted();
        part = await parts.next();
      }
    } catch (error) {
      failed.abort(error);
    }
    await Promise.all(sending);
    either.throwIfAborted();
    return sent.sort((a, b) => a.PartNumber - b.PartNumber);
  }

  #sendPart(uploadId: string, { number, bytes }: ContentPart, signal: AbortSignal): Promise<SentPart> {
    const { client, limits } = this.#bucket;
    const { key } = this.#request;
    return attempt(untimed(limits.attempts), signal, isOutage, (signal) => {
      const { stallMs } = limits;
      const failure = (problem: string) => wrongContent(key, problem);
      const body = exactContent(bytes, { size: bytes.length, stallMs, signal, failure });
      const command = new UploadPartCommand({
        ...this.#bucket.at(key),
        UploadId: uploadId,
        PartNumber: number,
        Body: body,
        ContentLength: bytes.length,
      });
      return sendWatched(body, stallMs, signal, async (abortSignal) => {
        const answer = await abortable(abortSignal, () => client.send(command, { abortSignal }));
        return { PartNumber: number, ETag: versionOf(answer) };
      });
    });
  }

  async #complete(uploadId: string, parts: SentPart[], signal: AbortSignal): Promise<Stored | 'conflict'> {
    const { client, limits } = this.#bucket;
    const { key } = this.#request;
    const command = new CompleteMultipartUploadCommand({
      ...this.#bucket.at(key),
      UploadId: uploadId,
      MultipartUpload: { Parts: parts },
      ...this.#write.condition,
    });
    let undecided: unknown;
    const send = async (abortSignal: AbortSignal): Promise<Stored> => {
      try {
        return {
          version: versionOf(await abortable(abortSignal, () => client.send(command, { abortSignal }))),
        };
      } catch (error) {
        // What could not be decided may have ended the upload.
        if (isNoSuchUpload(error) && undecided !== undefined) throw undecided;
        if (isConcurrentWrite(error)) undecided = error;
        throw error;
      }
    };
    // The store puts the parts together before it answers.
    const patient = { ...untimed(limits.attempts), attemptMs: limits.stallMs };
    try {
      return await this.#write.attempts(patient, signal, send);
    } catch (error) {
      if (signal.aborted || !(isOutage(error) || isNoSuchUpload(error))) throw error;
      const own = await this.#write.found(signal).catch(() => undefined);
      if (own !== undefined) return own;
      if (isOutage(error) || !this.#write.inDoubt) throw error;
      // It may have been carried out, and replaced since.
      const why = `The object store did not tell what became of ${key}.`;
      throw new BerthError('STORE_UNAVAILABLE', why, {}, error);
    }
  }

  /** Parts of what comes to nothing cost money. */
  async #abandon(uploadId: string): Promise<void> {
    const { client } = this.#bucket;
    const limits = brief(this.#bucket.limits);
    const command = new AbortMultipartUploadCommand({
      ...this.#bucket.at(this.#request.key),
      UploadId: uploadId,
    });
    const signal = AbortSignal.timeout(limits.totalMs);
    try {
      await attempt(limits, signal, isOutage, (abortSignal) =>
        abortable(abortSignal, () => client.send(command, { abortSignal })),
      );
    } catch {} // a rule of the bucket removes what is left; how the put failed is what is told
  }

  #tooLarge(): BerthError {
    const { key } = this.#request;
    return new BerthError('BODY_TOO_LARGE', `${key} has more than ${MOST_PARTS} parts can hold.`);
  }
}
