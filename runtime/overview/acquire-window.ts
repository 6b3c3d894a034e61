import { type AcquireTimes, SOURCES, type Source } from './overview.ts';

const HOUR_MS = 3_600_000;
/** Of each source. */
const KEPT = 1_000;

interface Sample {
  at: number;
  tenant: string;
  ms: number;
}

/** How long conversations waited for their containers: the last of each source, within an hour. */
export class AcquireWindow {
  readonly #samples: Record<Source, Sample[]> = { existing: [], warm: [], cold: [] };

  add(source: Source, tenant: string, seconds: number, now: number): void {
    const samples = this.#samples[source];
    samples.push({ at: now, tenant, ms: seconds * 1000 });
    // Not at every one: cutting the front off costs as much as there is.
    if (samples.length >= 2 * KEPT) samples.splice(0, samples.length - KEPT);
  }

  /** Of one tenant, or of all. */
  read(tenant: string | undefined, now: number): AcquireTimes[] {
    return SOURCES.flatMap((source) => {
      const times = this.#samples[source]
        .slice(-KEPT)
        .filter((sample) => sample.at > now - HOUR_MS && (tenant === undefined || sample.tenant === tenant))
        .map(({ ms }) => ms)
        .toSorted((one, other) => one - other);
      if (times.length === 0) return [];
      return [
        { source, count: times.length, p50_ms: percentile(times, 0.5), p99_ms: percentile(times, 0.99) },
      ];
    });
  }
}

/** The nearest rank, to a tenth. */
function percentile(sorted: readonly number[], share: number): number {
  const value = sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
  return Math.round(value * 10) / 10;
}
