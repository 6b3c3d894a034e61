/** S3 takes no more of an upload. */
export const MOST_PARTS = 10_000;

/** In memory at once: those on their way, and the one that is being filled. */
export const HELD_PARTS = 2;

const FIRST_BYTES = 8 * 1024 ** 2;
/** So many are of one size; the next so many are twice as large. */
const OF_ONE_SIZE = 1000;

/**
 * How many bytes the part of this number, from 1, has. 16 MiB are held at once for the first 8 GB, and later at most
 * 1/250 of what has been sent. All parts together have 8 TiB.
 */
export function partBytes(number: number): number {
  return FIRST_BYTES * 2 ** Math.floor((number - 1) / OF_ONE_SIZE);
}
