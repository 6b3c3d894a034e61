import { type BerthError, wantsWaiting } from './berth-error.ts';

export interface RetrySettings {
  /** How often, in a row, without getting anywhere. */
  retries: number;
  /** The first wait; each that follows is twice as long. */
  backoffMs: number;
}

const LONGEST_BACKOFF_MS = 10_000;
/** Who is asked to wait longer decides that himself. */
const LONGEST_ASKED_SECONDS = 60;

/**
 * How long to wait before trying again what has been tried again `retried` times; undefined: it is over. `random` is
 * in [0, 1): those who lost their connection together come back apart.
 */
export function waitBefore(
  error: BerthError,
  retried: number,
  { retries, backoffMs }: RetrySettings,
  random: number,
): number | undefined {
  const { retryAfter = 0 } = error;
  if (retried >= retries || !wantsWaiting(error) || retryAfter > LONGEST_ASKED_SECONDS) return undefined;
  const backoff = Math.min(backoffMs * 2 ** retried, LONGEST_BACKOFF_MS);
  return retryAfter * 1000 + backoff * (0.5 + random / 2);
}
