/** S3 takes no more of an upload. */
export const MOST_PARTS = 10_000;

/** In memory at once: those on their way, and the one that is being filled. */
export const HELD_PARTS = 2;

/** The least that S3 takes, but for the last; and this often doubled, the most. */
const FIRST_BYTES = 5 * 1024 ** 2;
const MOST_DOUBLED = 10;
/** So many are of the first size, */
const OF_FIRST_SIZE = 1000;
/** and so many of each that follows, which is twice the one before. */
const OF_ONE_SIZE = 500;

/**
 * How many bytes the part of this number, from 1, has. 10 MiB are held at once for the first 5 GB, and later at most
 * 1/250 of what has been sent. All parts together have 24 TiB.
 */
export function partBytes(number: number): number {
  if (number <= OF_FIRST_SIZE) return FIRST_BYTES;
  const doubled = 1 + Math.floor((number - OF_FIRST_SIZE - 1) / OF_ONE_SIZE);
  return FIRST_BYTES * 2 ** Math.min(doubled, MOST_DOUBLED);
}
