import { expect, vi } from 'vitest';

// Before every file of tests. A wait is over when what it waits for has come; its time only bounds how long a failure
// takes to be told. On a machine that is busy with other things seconds are nothing, so none gives up before this.

const LEAST_MS = 60_000;

const { waitFor } = vi;
vi.waitFor = (callback, options = {}) => {
  const given = typeof options === 'number' ? { timeout: options } : options;
  return waitFor(callback, { ...given, timeout: Math.max(LEAST_MS, given.timeout ?? 0) });
};

const { poll } = expect;
expect.poll = (look, options = {}) =>
  poll(look, { ...options, timeout: Math.max(LEAST_MS, options.timeout ?? 0) });
