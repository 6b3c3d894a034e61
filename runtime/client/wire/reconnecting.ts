import { asBerthError, BerthError } from './berth-error.ts';
import type { SignOfLife } from './event-parser.ts';
import { type RetrySettings, waitBefore } from './retry-plan.ts';
import { wait } from './wait.ts';

interface Reconnecting<Event> {
  /** The events of one more connection, without those that were told before. */
  connect: () => AsyncIterable<Event | SignOfLife>;
  /** Whether the last event has been told. */
  over: () => boolean;
  settings: RetrySettings;
  signal: AbortSignal | undefined;
}

/** Events over as many connections as it takes. Gives up after so many in a row that brought nothing. */
export async function* reconnecting<Event extends object>(parts: Reconnecting<Event>): AsyncGenerator<Event> {
  const { connect, over, settings, signal } = parts;
  let retried = 0;
  while (!over()) {
    let lost = new BerthError('CONNECTION_FAILED', 'the stream ended before its last event');
    try {
      for await (const event of connect()) {
        retried = 0;
        if (event !== 'comment') yield event;
      }
    } catch (error) {
      lost = asBerthError(error, signal);
    }
    if (over()) return;
    const ms = waitBefore(lost, retried, settings, Math.random());
    if (ms === undefined) throw lost;
    retried += 1;
    await wait(ms, signal);
  }
}
