import type { PoolOverview } from './overview.ts';

export const SAMPLE_SECONDS = 15;
const SAMPLES = 3600 / SAMPLE_SECONDS;

export interface PoolSample {
  warm: number;
  starting: number;
  target: number;
}

/** The warm pool over the last hour, sampled also while nobody looks. */
export class PoolHistory {
  #samples: (PoolSample | undefined)[] = [];
  #newest: number | undefined;

  /** `undefined`: it could not be seen. What was slept through is a gap. */
  add(sample: PoolSample | undefined, now: number): void {
    const slot = Math.floor(now / (SAMPLE_SECONDS * 1000));
    const missed = this.#newest === undefined ? 0 : Math.max(0, slot - this.#newest - 1);
    const same = slot === this.#newest;
    const gap = new Array<undefined>(Math.min(missed, SAMPLES)).fill(undefined);
    this.#samples = [...(same ? this.#samples.slice(0, -1) : this.#samples), ...gap, sample].slice(-SAMPLES);
    this.#newest = slot;
  }

  read(): PoolOverview['history'] {
    const step = SAMPLE_SECONDS * 1000;
    const first = ((this.#newest ?? 0) - this.#samples.length + 1) * step;
    const column = (figure: keyof PoolSample) => this.#samples.map((sample) => sample?.[figure] ?? null);
    return {
      since: new Date(this.#newest === undefined ? 0 : first).toISOString(),
      step_seconds: SAMPLE_SECONDS,
      warm: column('warm'),
      starting: column('starting'),
      target: column('target'),
    };
  }
}
