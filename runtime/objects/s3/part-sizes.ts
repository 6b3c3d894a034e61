/** S3 takes no more of an upload. */
export const MOST_PARTS = 10_000;

const FIRST_BYTES = 8 * 1024 ** 2;
/** So many are of one size; the next so many are twice as large. */
const OF_ONE_SIZE = 1000;
/** Held in memory at once: those on their way, and the one that is being filled. */
const HELD = 3;
const LARGE_HELD = 2;

export interface PartSize {
  bytes: number;
  held: number;
}

/**
 * 24 MiB are held at once for the first 8 GB, and later about a thousandth of what has been sent. All parts together
 * have 8 TiB.
 */
export function partSize(number: number): PartSize {
  const doublings = Math.floor((number - 1) / OF_ONE_SIZE);
  return { bytes: FIRST_BYTES * 2 ** doublings, held: doublings === 0 ? HELD : LARGE_HELD };
}
