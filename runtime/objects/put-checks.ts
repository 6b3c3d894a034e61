import type { Readable } from 'node:stream';
import { BerthError } from '../contracts/errors.ts';
import { type ContentSize, LARGEST_OBJECT_BYTES } from './object-store.ts';

/** How long content may stand still. */
export const STALL_MS = 30_000;

/** Throws for what can be told before anything is read. */
export function checkPut(key: string, content: Buffer | Readable, told: ContentSize): void {
  const size = told === 'unknown' && Buffer.isBuffer(content) ? content.length : told;
  if (size === 'unknown') return;
  if (!Number.isSafeInteger(size) || size < 0) throw new TypeError(`${size} is no size of ${key}`);
  if (size > LARGEST_OBJECT_BYTES) {
    const limit = LARGEST_OBJECT_BYTES / 1024 ** 3;
    throw new BerthError('BODY_TOO_LARGE', `${key} has ${size} bytes; an object may have ${limit} GiB.`);
  }
  if (Buffer.isBuffer(content) && content.length !== size) {
    throw wrongContent(key, `has ${content.length} bytes, and not ${size}`);
  }
}

/** Content that is not what its caller said it would be. */
export function wrongContent(key: string, problem: string): BerthError {
  return new BerthError('INTERNAL', `The content for ${key} ${problem}.`);
}
