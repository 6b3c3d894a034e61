import { describe, expect, it } from 'vitest';
import { type AppHarness, OURS } from './app-harness.ts';

/** What such a container and its volume have to do with each other. */
export function appVolumeContract(harness: AppHarness): void {
  describe('an app with a volume', () => {
    it('wants the volume to be there, leaves nothing without it, and makes none', async () => {
      const { id, volume } = harness.names();
      const given = harness.spec({ id, app: { volume: { name: volume, mount: '/home/coder' } } });
      await expect(harness.backend.create(given)).rejects.toMatchObject({ code: 'VOLUME_NOT_FOUND' });
      await harness.expectNothingSoon(id);
      expect(await harness.under.hasVolume(volume)).toBe(false);
    });

    it("finds the volume's files as the one before it left them", async () => {
      const { id, volume } = harness.names();
      await harness.under.makeVolume(volume, OURS);
      const change = { id, app: { volume: { name: volume, mount: '/home/coder' } } };
      const { app } = await harness.running({ ...change, env: { HOME: '/home/coder' } });
      await app.bash('echo kept > "$HOME/file"');
      await harness.backend.destroy(id);
      expect(await harness.under.hasVolume(volume)).toBe(true);
      const next = await harness.running({ ...change, env: { HOME: '/home/coder' } });
      expect(await next.app.bash('cat "$HOME/file"')).toBe('kept');
    });
  });
}
