import type { VolumeName } from '../contracts/ids.ts';
import type { VolumeRun } from './volume-run.ts';

/** The runs of this process, the last one of each volume: others' are for the adapter to find. */
export class VolumeRuns {
  readonly #runs = new Map<VolumeName, VolumeRun>();

  /** Until it has ended. */
  add(volume: VolumeName, run: VolumeRun): void {
    this.#runs.set(volume, run);
    const forget = () => {
      if (this.#runs.get(volume) === run) this.#runs.delete(volume);
    };
    run.ended.then(forget, forget);
  }

  /** Resolves once nothing of it is left. */
  async end(volume: VolumeName): Promise<void> {
    await this.#runs.get(volume)?.remove();
  }

  async endAll(): Promise<void> {
    await Promise.all([...this.#runs.values()].map((run) => run.remove()));
  }
}
