import { describe, expect, it } from 'vitest';
import { type AppHarness, OURS } from './app-harness.ts';

/** How such a container ends. */
export function appEndingContract(harness: AppHarness): void {
  describe('destroying an app', () => {
    it('leaves nothing, and may be repeated, also at the same time and by another instance', async () => {
      const { backend } = harness;
      const { spec } = await harness.running();
      const second = harness.under.open({ installation: OURS });
      await Promise.all([backend, backend, second].map((each) => each.destroy(spec.id)));
      await harness.expectNothingOf(spec.id);
      await backend.destroy(spec.id);
      await second.close();
    });

    it('by the id of the engine means that very one: another of its name is left alone', async () => {
      const { backend } = harness;
      const { spec, app, engineId } = await harness.running();
      await backend.destroy(spec.id, { engineId });
      await harness.expectNothingOf(spec.id);
      await backend.destroy(spec.id, { engineId });
      await backend.create(spec);
      await app.untilItListens();
      const next = await harness.engineId(spec.id);
      expect(next).not.toBe(engineId);
      await backend.destroy(spec.id, { engineId });
      expect(await backend.inspect(spec.id)).toMatchObject({ state: 'running', engineId: next });
      expect(await app.call('/')).toBe('the app');
    });

    it('asks its program to leave where there is time for it', async () => {
      const { spec } = await harness.running();
      const before = performance.now();
      await harness.backend.destroy(spec.id, { stopSeconds: 20 });
      expect(performance.now() - before).toBeLessThan(10_000);
      await harness.expectNothingOf(spec.id);
    });

    it('takes one that is paused', async () => {
      if (!harness.backend.capabilities.pause) return; // there is none
      const { spec } = await harness.running();
      await harness.backend.pause(spec.id);
      await harness.backend.destroy(spec.id);
      await harness.expectNothingOf(spec.id);
    });

    it('ends a creation that is under way', async () => {
      const given = harness.spec();
      const creation = expect(harness.backend.create(given)).rejects.toMatchObject({
        code: 'CONTAINER_CREATE_FAILED',
      });
      await harness.untilBegun(given.id);
      await harness.backend.destroy(given.id);
      await creation;
      await harness.expectNothingOf(given.id);
    });
  });
}
