import type { Readable } from 'node:stream';
import type { Instant } from '../contracts/conversation-record.ts';

/**
 * Files of the platform by key, shared by all instances or of one alone. A key is segments joined by `/`, as
 * `checkKey` has it; a wrong one is a programming error.
 *
 * Throws `STORE_UNAVAILABLE` when the store can't be reached: after at most 3 attempts and about 10 s where little is
 * sent or answered, or when content of either way stands still for 30 s. A put or delete that failed so may have been
 * carried out. `DISK_FULL` when there is no room. Anything else that goes wrong is `INTERNAL` and says what was tried.
 */
export interface ObjectStore {
  /**
   * Stores `content`, of exactly `size` bytes, in one step: readers have the old object or the new one, whole. Content
   * that is shorter, longer, broken or aborted leaves everything as it was, and its own failure is what is thrown.
   * Content of unknown size is whole when its stream ends in order; of it no more than a few parts are held in memory.
   * A stream is read once and destroyed, whatever comes of it. With a condition that does not hold: `conflict`,
   * nothing changed (or, where the store was away in between, was changed and has been replaced since).
   */
  put(key: string, content: Buffer | Readable, options: PutOptions): Promise<Stored | 'conflict'>;

  /** Absent: undefined. The content is to be read or destroyed; a failure in the middle is its `error`. */
  get(key: string): Promise<StoredContent | undefined>;

  head(key: string): Promise<StoredObject | undefined>;

  /** Keys that begin with `prefix`, which may end within a segment, in the order of their bytes. */
  list(prefix: string): AsyncIterable<ListedObject>;

  /** Absent ones are fine. After a failure some are deleted and some are not. */
  delete(keys: readonly string[]): Promise<void>;

  /** Throws unless the store can be used as it is configured. */
  ping(): Promise<void>;

  /** Calls under way, and content still being read, end with `SHUTTING_DOWN`. Nothing goes on once it resolves. */
  close(): Promise<void>;
}

/** What one request can carry to S3, and so what content of a known size may have. Larger: `BODY_TOO_LARGE`. */
export const LARGEST_OBJECT_BYTES = 5 * 1024 ** 3;

export interface PutOptions {
  size: ContentSize;
  /** Default: none, the last write wins. */
  condition?: PutCondition;
  /** Aborted before the last bytes are on their way, the put throws the signal's reason and leaves nothing. */
  signal?: AbortSignal;
}

/** Where it is not known before the content has ended, S3 takes several TiB. */
export type ContentSize = number | 'unknown';

/** There must be no such object, or one of just this version. */
export type PutCondition = { absent: true } | { version: string };

export interface Stored {
  /**
   * Tells writes apart; opaque. Another write of equal content may have an equal one (S3 derives it from the
   * content), so whoever must tell those apart writes something of its own into the content.
   */
  version: string;
}

export interface StoredObject extends Stored {
  size: number;
  /** By the store's clock. */
  modifiedAt: Instant;
}

export interface StoredContent extends StoredObject {
  content: Readable;
}

export interface ListedObject {
  key: string;
  size: number;
  /** Where the store has it at hand. */
  version?: string;
  modifiedAt: Instant;
}
