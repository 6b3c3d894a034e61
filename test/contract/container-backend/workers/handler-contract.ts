import { describe, expect, it, vi } from 'vitest';
import { must } from '../../../support/must.ts';
import type { AppHarness } from '../apps/app-harness.ts';

/** The images of functions, as a backend runs them. */
export function workerHandlerContract(harness: AppHarness): void {
  describe('a worker of our images', () => {
    it.each([
      ['node', 'export default (request) => ({ hello: request.name })'],
      ['python', 'def handler(request): return {"hello": request["name"]}'],
    ] as const)('calls its handler (%s)', async (language, source) => {
      const image = must(harness.under.functionImages)[language];
      const given = harness.spec({ image, env: { HANDLER_SOURCE: source } });
      await harness.backend.create(given);
      const call = () => harness.app(given).call('/any/path', '{"name":"worker"}');
      await vi.waitFor(call, { timeout: 20_000, interval: 20 });
      expect(JSON.parse(await call())).toEqual({ hello: 'worker' });
      expect(await harness.backend.logs(given.id, { tail: 10 })).toContain('function: listens on');
    });

    it('ends with its handler, and says why', async () => {
      const image = must(harness.under.functionImages).node;
      const given = harness.spec({ image, env: { HANDLER_SOURCE: 'export default 1' } });
      await harness.backend.create(given);
      await harness.expectState(given.id, 'exited');
      expect((await harness.backend.inspect(given.id))?.exit).toMatchObject({ code: 2, oomKilled: false });
      expect(await harness.backend.logs(given.id, { tail: 10 })).toContain(
        'function: HANDLER_SOURCE has no function as its default export',
      );
    });
  });
}
