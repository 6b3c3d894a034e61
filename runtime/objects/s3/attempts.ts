import { setTimeout as sleep } from 'node:timers/promises';
import { tooSlow } from './failures.ts';

export interface AttemptLimits {
  attempts: number;
  /** Of all attempts together, and of one. */
  totalMs: number;
  attemptMs: number;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/**
 * Acts until it works, fails for good, or the limits are reached; then the last failure is thrown. Pauses grow and are
 * uneven, so that instances that failed together don't come back together.
 */
export async function attempt<T>(
  limits: AttemptLimits,
  signal: AbortSignal,
  mayPass: (error: unknown) => boolean,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = performance.now() + limits.totalMs;
  for (let count = 1; ; count++) {
    try {
      return await within(Math.min(limits.attemptMs, deadline - performance.now()), signal, act);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const pause = Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** count, LONGEST_PAUSE_MS);
      const over = count >= limits.attempts || performance.now() + pause >= deadline;
      if (over || !mayPass(error)) throw error;
      await sleep(pause, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

async function within<T>(
  ms: number,
  signal: AbortSignal,
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  if (ms === Number.POSITIVE_INFINITY) return act(signal);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(tooSlow(ms)), ms);
  try {
    return await act(AbortSignal.any([signal, late.signal]));
  } finally {
    clearTimeout(timer);
  }
}
