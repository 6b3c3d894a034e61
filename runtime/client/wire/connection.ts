import { BerthError } from './berth-error.ts';
import { EventParser, type SignOfLife, type WireEvent } from './event-parser.ts';

interface Opening {
  /** Asks for the stream; the signal ends the request, and what is read of it. */
  open: (signal: AbortSignal) => Promise<Response>;
  signal: AbortSignal | undefined;
  /** How long nothing may come, the service's comments included. Asked anew for every read. */
  silenceMs: () => number;
  /** Whether that holds for the answer's head, too. */
  answersAtOnce: boolean;
}

/**
 * The events of one connection. Returns when the service ends it; throws where it breaks or is silent for too long.
 * Whoever stops reading closes it.
 */
export async function* connection({
  open,
  signal,
  silenceMs,
  answersAtOnce,
}: Opening): AsyncGenerator<WireEvent | SignOfLife> {
  const own = new AbortController();
  const end = () => own.abort(signal?.reason);
  if (signal?.aborted === true) end();
  else signal?.addEventListener('abort', end, { once: true });
  const within = async <Value>(promise: Promise<Value>): Promise<Value> => {
    const ms = silenceMs();
    const timer = setTimeout(
      () => own.abort(new BerthError('CONNECTION_FAILED', `nothing came for ${ms / 1000} seconds`)),
      ms,
    );
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    const opened = open(own.signal);
    const { body, headers, status } = await (answersAtOnce ? within(opened) : opened);
    if (headers.get('content-type')?.startsWith('text/event-stream') !== true) {
      const detail = 'the answer is no stream of events: something else answers at this address';
      throw new BerthError('UNEXPECTED_ANSWER', detail, { status });
    }
    const reader = body?.getReader();
    const parser = new EventParser();
    for (;;) {
      const { value, done = true } = (await (reader && within(reader.read()))) ?? {};
      if (done || value === undefined) return;
      yield* parser.push(value);
    }
  } catch (error) {
    // What the watchdog said, rather than what the platform makes of it.
    throw own.signal.reason instanceof BerthError ? own.signal.reason : error;
  } finally {
    signal?.removeEventListener('abort', end);
    own.abort();
  }
}

/** An event's data. What is no object is no event of ours. */
export function dataOf({ event, data }: WireEvent): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>; // an object that JSON.parse made
  } catch {
    // told below
  }
  throw new BerthError('UNEXPECTED_ANSWER', `the event "${event}" is no JSON object`);
}
