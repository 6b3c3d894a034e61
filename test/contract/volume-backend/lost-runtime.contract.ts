import type { ChildProcess } from 'node:child_process';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { VolumeName } from '../../../runtime/contracts/ids.ts';
import { startRuntime } from './runtime-process.ts';
import type { VolumeHarness, WholeArchive } from './volumes-under-test.ts';

/** What is left of a runtime that is killed, or sleeps, in the middle. */
export function lostRuntimeContract(harness: VolumeHarness): void {
  let runtime: ChildProcess | undefined;
  afterEach(() => {
    runtime?.kill('SIGKILL');
  });

  async function started(name: VolumeName, archive?: WholeArchive): Promise<ChildProcess> {
    runtime = await startRuntime(harness.under.opening, name, archive);
    const running = async () => expect(await harness.under.running(name)).toBeGreaterThan(0);
    await vi.waitFor(running, { timeout: 20_000 });
    return runtime;
  }

  /** What it had not come to yet waits for it for a while. */
  const untilNothingRuns = (name: VolumeName) =>
    vi.waitFor(async () => expect(await harness.under.running(name)).toBe(0), { timeout: 60_000 });

  describe('a runtime that is lost', () => {
    it('takes its archive with it, and the next one is whole', async () => {
      const name = await harness.filled(48);
      const killed = await started(name);
      killed.kill('SIGKILL');
      await untilNothingRuns(name);
      expect((await harness.archived(name)).entries).toBe(2);
      expect(await harness.under.working(name)).toBe(0);
    });

    it('takes its restore with it, which leaves no marker', async () => {
      const name = await harness.filled(1);
      const archive = await harness.archived(name);
      const killed = await started(name, archive);
      killed.kill('SIGKILL');
      await untilNothingRuns(name);
      expect(await harness.names(name)).not.toContain('.berth-restored');
      await harness.restore(name, archive);
      expect(await harness.names(name)).toContain('.berth-restored');
      expect(await harness.under.working(name)).toBe(0);
    });
  });
}
