/** How long a reader that takes nothing holds up the runner. */
const PATIENCE_MS = 2_000;

/** A reader, as far as the runner has to wait for it. */
export interface ReaderState {
  /** Bytes that it has not been sent. */
  readonly unread: number;
  /** Since when its connection has taken nothing; undefined while it takes what there is. */
  readonly waitingSince: number | undefined;
}

/**
 * Until when the runner is held up, unless something happens before: while a reader with more than `most` bytes
 * before it still takes something now and then. Undefined when nobody holds it up.
 */
export function heldUntil(readers: Iterable<ReaderState>, most: number, now: number): number | undefined {
  let until: number | undefined;
  for (const { unread, waitingSince = now } of readers) {
    const patience = waitingSince + PATIENCE_MS;
    if (unread > most && patience > now) until = Math.max(until ?? 0, patience);
  }
  return until;
}
