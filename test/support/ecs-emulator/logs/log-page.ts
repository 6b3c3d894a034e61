import type { LogEvent } from './log-streams.ts';

export interface LogReading {
  readonly startTime?: number | undefined;
  readonly endTime?: number | undefined;
  readonly nextToken?: string | undefined;
  readonly limit: number;
  readonly startFromHead: boolean;
}

export interface LogPage {
  readonly events: readonly LogEvent[];
  readonly nextForwardToken: string;
  readonly nextBackwardToken: string;
}

const MOST_BYTES = 1024 * 1024;
/** What CloudWatch counts for an event besides its message. */
const EVENT_BYTES = 26;

/**
 * The page of a stream that a request asks for: at most `limit` events and 1 MB, always in the order of time. At an
 * end of the stream the token comes back that was sent. Undefined: the token is none of ours.
 */
export function logPage(stream: readonly LogEvent[], reading: LogReading): LogPage | undefined {
  const { startTime = 0, endTime = Number.POSITIVE_INFINITY, nextToken, limit, startFromHead } = reading;
  const events = stream.filter(({ timestamp }) => timestamp >= startTime && timestamp < endTime);
  const [, way, place] =
    /^([fb])\/(\d{1,20})$/.exec(nextToken ?? (startFromHead ? 'f/0' : `b/${events.length}`)) ?? [];
  if (way === undefined) return undefined;
  const at = Math.min(Number(place), events.length);
  const [from, to] =
    way === 'f'
      ? [at, at + fitting(events.slice(at), limit)]
      : [at - fitting(events.slice(0, at).reverse(), limit), at];
  return {
    events: events.slice(from, to),
    nextForwardToken: `f/${`${to}`.padStart(20, '0')}`,
    nextBackwardToken: `b/${`${from}`.padStart(20, '0')}`,
  };
}

/** How many of the events, from the first on, one answer holds. */
function fitting(events: readonly LogEvent[], limit: number): number {
  let bytes = 0;
  const over = events.findIndex(({ message }) => {
    bytes += Buffer.byteLength(message) + EVENT_BYTES;
    return bytes > MOST_BYTES;
  });
  return Math.min(limit, over === -1 ? events.length : Math.max(1, over));
}
