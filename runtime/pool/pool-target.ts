import type { Instant } from '../contracts/conversation-record.ts';

/** What is known of the demand for members, from look to look. */
export interface DemandSeen {
  /** The counter at the last look, and when that was. */
  last: { demand: number; at: Instant } | undefined;
  /** Arrivals a second, smoothed. */
  rate: number;
  /** How long a member takes from its reservation into the pool, smoothed. */
  refillSeconds: number;
  /** What the demand asks for. It rises at once, and falls when it has asked for less all through `HOLD_SECONDS`. */
  wanted: number;
  /** Since when it has asked for less, and the most that it asked for since. */
  less: { since: Instant; most: number } | undefined;
}

export const NO_DEMAND_SEEN: DemandSeen = {
  last: undefined,
  rate: 0,
  refillSeconds: 5,
  wanted: 0,
  less: undefined,
};

/** How many more than the mean are kept, for what comes unevenly. */
const HEADROOM = 2;
/** The rate remembers about this long. */
const RATE_SECONDS = 60;
export const HOLD_SECONDS = 300;
/** Fewer arrivals than one in ten minutes are none: a pool of minimum 0 gets empty. */
const LEAST_RATE = 1 / 600;
/** Beyond this a number is no count of arrivals. */
const MOST_ARRIVALS = 1e9;
const REFILL_WEIGHT = 0.3;
const LONGEST_REFILL_SECONDS = 600;

/** `clamp(min, arrival rate × refill time × headroom, max)`; the maximum wins over a greater minimum. */
export function poolTarget(seen: DemandSeen, sizes: { min: number; max: number }): number {
  return Math.min(Math.max(sizes.min, seen.wanted), sizes.max);
}

/** `demand` counts arrivals; a smaller one than before means that it began anew. */
export function afterLook(seen: DemandSeen, demand: number, now: Instant): DemandSeen {
  if (!Number.isFinite(demand) || !Number.isFinite(now)) return seen;
  const { last } = seen;
  if (last === undefined || now < last.at) return { ...seen, last: { demand, at: now } };
  if (now - last.at < 1) return seen; // what came within the same instant counts at the next look
  const seconds = (now - last.at) / 1000;
  const arrivals = Math.min(
    Math.max(0, demand >= last.demand ? demand - last.demand : demand),
    MOST_ARRIVALS,
  );
  const kept = Math.exp(-seconds / RATE_SECONDS);
  const rate = seen.rate * kept + (arrivals / seconds) * (1 - kept);
  return held({ ...seen, rate, last: { demand, at: now } }, now);
}

export function afterCreation(seen: DemandSeen, seconds: number): DemandSeen {
  if (!(seconds >= 0)) return seen;
  const taken = Math.min(seconds, LONGEST_REFILL_SECONDS);
  return { ...seen, refillSeconds: seen.refillSeconds + REFILL_WEIGHT * (taken - seen.refillSeconds) };
}

function held(seen: DemandSeen, now: Instant): DemandSeen {
  const asked = seen.rate < LEAST_RATE ? 0 : Math.ceil(seen.rate * seen.refillSeconds * HEADROOM);
  if (asked >= seen.wanted) return { ...seen, wanted: asked, less: undefined };
  const since = seen.less?.since ?? now;
  const most = Math.max(asked, seen.less?.most ?? 0);
  if (now - since < HOLD_SECONDS * 1000) return { ...seen, less: { since, most } };
  return { ...seen, wanted: most, less: undefined };
}
