import {
  EGRESS_DURATION_BUCKETS,
  EGRESS_METHODS,
  EGRESS_OUTCOMES,
  EGRESS_REFUSALS,
  type EgressStats,
} from '../../contracts/egress.ts';

/** A proxy's counters; throws where they are none. Names that are not known here are left out. */
export function parseStats(value: unknown): EgressStats {
  const { refused, passed, durations } = fields(value);
  const times: EgressStats['durations'] = {};
  for (const method of EGRESS_METHODS) {
    const time = fields(durations)[method];
    if (time === undefined) continue;
    const { count, seconds, buckets } = fields(time);
    if (!Array.isArray(buckets) || buckets.length !== EGRESS_DURATION_BUCKETS.length + 1) throw none();
    times[method] = { count: amount(count), seconds: amount(seconds), buckets: buckets.map(amount) };
  }
  return {
    refused: counts(refused, EGRESS_REFUSALS),
    passed: counts(passed, EGRESS_OUTCOMES),
    durations: times,
  };
}

function counts<K extends string>(value: unknown, names: readonly K[]): Partial<Record<K, number>> {
  const given = fields(value);
  const found: Partial<Record<K, number>> = {};
  for (const name of names) if (given[name] !== undefined) found[name] = amount(given[name]);
  return found;
}

function fields(value: unknown): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) throw none();
  return value as Record<string, unknown>; // the cast: each field is looked at where it is used
}

function amount(value: unknown): number {
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) throw none();
  return value;
}

const none = (): Error => new Error("the proxy's counters are not in the form that is known here");
