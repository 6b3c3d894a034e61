import { describe, expect, it } from 'vitest';
import { BerthError, type ErrorCode } from '../../../runtime/contracts/errors.ts';
import { failureOf } from '../../../runtime/workspaces/operation-failure.ts';
import { error, row } from './workspace-row.ts';

const failed = (code: ErrorCode, fields = {}) => new BerthError(code, 'it did not work', fields);
/** It failed so often with this before, at the word that still stands. */
const failedBefore = (count: number, code: ErrorCode = 'HEALTH_CHECK_FAILED') =>
  row({ error: error({ count, code }) });

describe('an operation that failed', () => {
  it('is tried three times, 30 s apart, and then waits for a word', () => {
    const told = {
      code: 'HEALTH_CHECK_FAILED',
      message: 'it did not work',
      retrySeconds: 30,
      desiredVersion: 3,
    };
    const failure = failed('HEALTH_CHECK_FAILED');
    expect(failureOf(row(), failure)).toEqual({ ...told, count: 1, terminal: false });
    expect(failureOf(failedBefore(1), failure)).toEqual({ ...told, count: 2, terminal: false });
    expect(failureOf(failedBefore(2), failure)).toEqual({ ...told, count: 3, terminal: true });
  });

  it('has three attempts again after a word of the user', () => {
    const spoken = row({ error: error({ count: 2 }), desiredVersion: 4 });
    expect(failureOf(spoken, failed('HEALTH_CHECK_FAILED'))).toMatchObject({
      terminal: false,
      desiredVersion: 4,
    });
  });

  it.each(['CONTAINER_CREATE_FAILED', 'VOLUME_NOT_FOUND', 'ARCHIVE_CORRUPT', 'NOT_SUPPORTED'] as const)(
    'with %s is not tried again by itself',
    (code) => {
      expect(failureOf(row(), failed(code)).terminal).toBe(true);
    },
  );

  it('to get its image is tried again, unless the registry has spoken', () => {
    expect(failureOf(row(), failed('IMAGE_PULL_FAILED', { final: false })).terminal).toBe(false);
    expect(failureOf(row(), failed('IMAGE_PULL_FAILED', { final: true })).terminal).toBe(true);
  });

  it.each(['BACKEND_UNAVAILABLE', 'STORE_UNAVAILABLE', 'EGRESS_UNAVAILABLE'] as const)(
    'with %s is tried for as long as that lasts, and has its attempts after it',
    (code) => {
      const lasting = failureOf(failedBefore(100, code), failed(code));
      expect(lasting).toMatchObject({ count: 101, terminal: false });
      const after = failureOf(failedBefore(100, code), failed('HEALTH_CHECK_FAILED'));
      expect(after).toMatchObject({ count: 1, terminal: false });
      const again = failureOf(failedBefore(2), failed(code));
      expect(again).toMatchObject({ count: 1, terminal: false });
    },
  );

  it('in a way that nobody thought of is tried again, and named so', () => {
    const unthought = new TypeError('x is not a function');
    expect(failureOf(row(), unthought)).toMatchObject({
      code: 'INTERNAL',
      message: 'x is not a function',
      terminal: false,
    });
    expect(failureOf(failedBefore(2), 'words').terminal).toBe(true);
  });

  it('is told in no more words than fit', () => {
    const { message } = failureOf(row(), new BerthError('HEALTH_CHECK_FAILED', 'x'.repeat(100_000)));
    expect(message).toHaveLength(4_000);
  });
});
