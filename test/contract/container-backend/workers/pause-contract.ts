import { describe, expect, it } from 'vitest';
import type { AppHarness } from '../apps/app-harness.ts';

/** How a worker rests. */
export function workerPauseContract(harness: AppHarness): void {
  describe('a paused worker', () => {
    it('does nothing, can be dialled all the same, and answers once it is resumed', async () => {
      const { backend } = harness;
      const { spec, app } = await harness.running();
      await backend.pause(spec.id);
      await backend.pause(spec.id);
      await harness.expectState(spec.id, 'paused');
      const before = (await backend.stats(spec.id)).cpuNanoseconds;
      let isAnswered = false;
      const call = app.call('/').finally(() => {
        isAnswered = true;
      });
      // Two looks at it take longer than an answer.
      await backend.inspect(spec.id);
      expect((await backend.stats(spec.id)).cpuNanoseconds).toBe(before);
      expect(isAnswered).toBe(false);
      await backend.resume(spec.id);
      await backend.resume(spec.id);
      expect(await call).toBe('the app');
      await harness.expectState(spec.id, 'running');
    });

    it('is still itself for whoever creates it again', async () => {
      const { spec, engineId } = await harness.running();
      await harness.backend.pause(spec.id);
      await harness.backend.create(spec);
      expect(await harness.backend.inspect(spec.id)).toMatchObject({ engineId, state: 'paused' });
    });
  });

  it('a worker that is not there, or has ended, can be neither paused nor resumed', async () => {
    const { spec, app } = await harness.running();
    await app.exit(0);
    await harness.expectState(spec.id, 'exited');
    for (const id of [spec.id, harness.id()]) {
      await expect(harness.backend.pause(id)).rejects.toMatchObject({ code: 'CONTAINER_NOT_FOUND' });
      await expect(harness.backend.resume(id)).rejects.toMatchObject({ code: 'CONTAINER_NOT_FOUND' });
    }
  });
}
