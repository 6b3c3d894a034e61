import { STALL_MS } from '../put-checks.ts';
import type { AttemptLimits } from './attempts.ts';

export interface S3Limits extends AttemptLimits {
  stallMs: number;
}

export const S3_LIMITS: S3Limits = { attempts: 3, totalMs: 10_000, attemptMs: 5_000, stallMs: STALL_MS };

/** Content up to this size is held in memory, sent again where that can help, and timed as a small call. */
export const SMALL_BYTES = 256 * 1024;

/** Of content that takes as long as it takes. */
export const untimed = (attempts: number): AttemptLimits => ({
  attempts,
  totalMs: Number.POSITIVE_INFINITY,
  attemptMs: Number.POSITIVE_INFINITY,
});

/** For what others clear up should it not work: whoever gave up waits for it, but not for long. */
export const brief = ({ attempts, totalMs, attemptMs }: AttemptLimits): AttemptLimits => ({
  attempts,
  totalMs: Math.min(totalMs, 5_000),
  attemptMs: Math.min(attemptMs, 2_000),
});
