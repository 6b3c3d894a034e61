import { describe, expect, it } from 'vitest';
import { MISSING_IMAGE } from '../specs.ts';
import { type AppHarness, OTHERS, OURS } from './app-harness.ts';

/** How such a container begins. */
export function appMakingContract(harness: AppHarness): void {
  describe('creating an app', () => {
    it('is done once its port can be dialled, whether or not its program listens', async () => {
      const given = harness.spec({ env: { APP_IS_SILENT: '1' } });
      await harness.backend.create(given);
      await harness.expectState(given.id, 'running');
      // Nobody listens there, or behind what does.
      await expect(harness.app(given).call('/')).rejects.toMatchObject({
        code: expect.stringMatching(/^(ECONNRESET|EPIPE|ECONNREFUSED)$/),
      });
    });

    it('is done also when its program ends at once, which can then be told', async () => {
      const given = harness.spec({ env: { APP_EXITS: '3' } });
      await harness.backend.create(given);
      await harness.expectState(given.id, 'exited');
      const view = await harness.backend.inspect(given.id);
      expect(view?.exit).toMatchObject({ code: 3, oomKilled: false });
      expect(await harness.backend.logs(given.id, { tail: 10 })).toContain('the app begins');
    });

    it('makes one anew that has ended', async () => {
      const { spec, app, engineId } = await harness.running();
      await app.exit(0);
      await harness.expectState(spec.id, 'exited');
      await harness.backend.create(spec);
      await app.untilItListens();
      expect(await harness.engineId(spec.id)).not.toBe(engineId);
    });

    it("does not take another's name, nor touch what has it", async () => {
      const theirs = harness.spec({}, harness.others);
      await harness.others.create(theirs);
      await expect(harness.backend.create(theirs)).rejects.toMatchObject({
        code: 'CONTAINER_CREATE_FAILED',
        detail: expect.stringContaining(OTHERS),
      });
      expect(await harness.backend.inspect(theirs.id)).toBeUndefined();
      await harness.backend.destroy(theirs.id);
      expect((await harness.others.inspect(theirs.id))?.state).toBe('running');
      await harness.app(theirs, harness.others).untilItListens();
    });

    it('refuses an image that is not there', async () => {
      const given = harness.spec({ image: MISSING_IMAGE });
      await expect(harness.backend.create(given)).rejects.toMatchObject({ code: 'IMAGE_PULL_FAILED' });
      await harness.expectNothingSoon(given.id);
      expect(await harness.backend.hasImage(harness.under.image, 'workspace')).toBe(true);
    });

    it('leaves nothing when it is aborted half way, or takes too long', async () => {
      const given = harness.spec();
      const stop = new AbortController();
      const creation = expect(harness.backend.create(given, stop.signal)).rejects.toMatchObject({
        code: 'CONTAINER_CREATE_FAILED',
      });
      await harness.untilBegun(given.id);
      stop.abort();
      await creation;
      await harness.expectNothingSoon(given.id);
      const hasty = harness.under.open({ installation: OURS, agentReadySeconds: 0.001 });
      await expect(hasty.create(given)).rejects.toMatchObject({ code: 'START_TIMEOUT' });
      await harness.expectNothingSoon(given.id);
      await hasty.close();
    });
  });
}
