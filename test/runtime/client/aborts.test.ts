import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { HttpRelay } from '../../support/http-relay.ts';

const PROGRAM = new URL('../../support/fixtures/client-aborts.ts', import.meta.url).pathname;

describe("a caller's signal", () => {
  it('ends a call in every phase, at once, and leaves nothing open', async () => {
    await using relay = await HttpRelay.open('http://127.0.0.1:1');
    relay.fate = ({ path }) => {
      if (path.includes('/busy')) return { status: 503, headers: { 'retry-after': '30' } };
      if (path.includes('/silent')) return 'mute';
      return 'ignore';
    };
    const began = performance.now();
    // It ends by itself, or not in time: a timer of the watchdog's takes 45 s, a wait for the busy one 30.
    const run = promisify(execFile)(process.execPath, [PROGRAM, relay.url, 'key'], { timeout: 20_000 });
    const told: Record<string, string> = JSON.parse((await run).stdout);
    expect(performance.now() - began).toBeLessThan(20_000);
    const { 'before it began': early, ...rest } = told;
    expect(early).toMatch(/^ABORTED This operation was aborted/);
    expect(Object.keys(rest)).toHaveLength(12);
    for (const [phase, ended] of Object.entries(rest))
      expect(`${phase}: ${ended}`).toBe(`${phase}: ABORTED enough 0`);
    await vi.waitFor(() => expect(relay.underWay).toBe(0));
  });
});
