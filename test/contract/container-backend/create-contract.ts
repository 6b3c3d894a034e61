import { describe, expect, it, vi } from 'vitest';
import { type Harness, OURS } from './harness.ts';
import { MISSING_IMAGE } from './specs.ts';

/** How containers begin. */
export function createContract(harness: Harness): void {
  describe('create', () => {
    it('makes two containers at the same time, each with its own agent and files', async () => {
      const [one, two] = [harness.spec(), harness.spec()];
      await Promise.all([harness.backend.create(one), harness.backend.create(two)]);
      await harness.agent(one).bash('echo one > file');
      expect((await harness.agent(two).exec('cat', 'file')).exit_code).toBe(1);
      // The agent of another container is found out by its proof.
      expect(await harness.agent({ ...one, env: two.env }).proves()).toBe(false);
    });

    it('makes a container anew that has ended', async () => {
      const { backend } = harness;
      const given = await harness.created();
      const first = await backend.inspect(given.id);
      const killed = harness.agent(given).exec('bash', '-c', 'kill -KILL $PPID');
      await expect(killed).rejects.toThrow();
      await vi.waitFor(async () => expect((await backend.inspect(given.id))?.state).toBe('exited'));
      await backend.create(given);
      expect((await backend.inspect(given.id))?.engineId).not.toBe(first?.engineId);
      expect(await harness.agent(given).proves()).toBe(true);
    });

    it('says what the agent said when it ends early, and leaves nothing', async () => {
      const given = harness.spec({ env: { AGENT_TOKEN: 'short' } });
      await expect(harness.backend.create(given)).rejects.toMatchObject({
        code: 'CONTAINER_CREATE_FAILED',
        detail: expect.stringMatching(/exit code 2\b.*AGENT_TOKEN is required/s),
      });
      await harness.expectNothingSoon(given.id);
    });

    it('gives up on an agent that is not ready in time, and leaves nothing', async () => {
      const hasty = harness.under.open({ installation: OURS, agentReadySeconds: 0.001 });
      const given = harness.spec();
      await expect(hasty.create(given)).rejects.toMatchObject({ code: 'START_TIMEOUT' });
      await harness.expectNothingSoon(given.id);
      await hasty.close();
    });

    it('leaves nothing when it is aborted half way', async () => {
      const given = harness.spec();
      const stop = new AbortController();
      const creation = expect(harness.backend.create(given, stop.signal)).rejects.toMatchObject({
        code: 'CONTAINER_CREATE_FAILED',
      });
      await harness.untilBegun(given.id);
      stop.abort();
      await creation;
      await harness.expectNothingSoon(given.id);
    });

    it('does nothing when it was aborted before', async () => {
      const given = harness.spec();
      const creation = harness.backend.create(given, AbortSignal.abort());
      await expect(creation).rejects.toMatchObject({ code: 'CONTAINER_CREATE_FAILED' });
      await harness.expectNothingSoon(given.id);
    });

    it('refuses an image that is not there', async () => {
      const { backend } = harness;
      const { image: there, missingImage: missing = MISSING_IMAGE } = harness.under;
      const given = harness.spec({ image: missing });
      await expect(backend.create(given)).rejects.toMatchObject({ code: 'IMAGE_PULL_FAILED' });
      await harness.expectNothingSoon(given.id);
      expect(await backend.hasImage(missing)).toBe(false);
      expect(await backend.hasImage(there)).toBe(true);
    });

    it('refuses roles that it does not know to make', async () => {
      const creation = harness.backend.create(harness.spec({ role: 'function' }));
      await expect(creation).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
    });
  });
}
