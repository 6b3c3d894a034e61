import { describe, expect, it } from 'vitest';
import { BerthError } from '../../../../runtime/client/wire/berth-error.ts';
import { waitBefore } from '../../../../runtime/client/wire/retry-plan.ts';

const SETTINGS = { retries: 6, backoffMs: 500 };
const lost = new BerthError('CONNECTION_FAILED', 'away');
const waits = (error: BerthError, random: number) =>
  Array.from({ length: 8 }, (_, retried) => waitBefore(error, retried, SETTINGS, random));

describe('a failed call', () => {
  it('is tried again after waits that double, up to 10 seconds and to the last retry', () => {
    expect(waits(lost, 1)).toEqual([500, 1000, 2000, 4000, 8000, 10_000, undefined, undefined]);
  });

  it('comes back at another time than others that failed with it', () => {
    expect(waits(lost, 0).slice(0, 3)).toEqual([250, 500, 1000]);
  });

  it('waits for as long as the service says, and a little', () => {
    const busy = new BerthError('CAPACITY_EXCEEDED', 'full', { status: 429, retryAfter: 5 });
    expect(waitBefore(busy, 0, SETTINGS, 1)).toBe(5500);
  });

  it('is told to who would have to wait for more than a minute', () => {
    const busy = new BerthError('QUOTA_EXCEEDED', 'used up', { status: 429, retryAfter: 61 });
    expect(waitBefore(busy, 0, SETTINGS, 1)).toBeUndefined();
  });

  it.each([
    ['CONVERSATION_LOCKED', { status: 409 }, false],
    ['CONVERSATION_DRAINING', { status: 409, retryAfter: 2 }, true],
    ['STORE_UNAVAILABLE', { status: 503 }, true],
    ['CONTAINER_CRASHED', { status: 502 }, true],
    ['INTERNAL', { status: 500 }, false],
    ['WORKER_FAILED', { status: 502 }, false],
    ['INVALID_REQUEST', { status: 400 }, false],
    ['UNEXPECTED_ANSWER', { status: 504 }, true],
    ['UNEXPECTED_ANSWER', { status: 200 }, false],
    ['ABORTED', {}, false],
    ['SOMETHING_NEW', { status: 503 }, true],
    ['SOMETHING_NEW', { status: 500 }, false],
  ])('%s %o is tried again: %s', (code, facts, again) => {
    expect(waitBefore(new BerthError(code, '', facts), 0, SETTINGS, 0) !== undefined).toBe(again);
  });
});
