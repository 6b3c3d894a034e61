import { vi } from 'vitest';

/** Waits until it holds, however busy the machine is. */
export function eventually<Result>(check: () => Result | Promise<Result>): Promise<Result> {
  return vi.waitFor(check, { timeout: 20_000 });
}
