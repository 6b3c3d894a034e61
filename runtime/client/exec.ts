import type { Calls, ExecRequest, ExecResult } from './api.ts';
import { asBerthError, BerthError } from './wire/berth-error.ts';
import type { Caller, CallOptions } from './wire/caller.ts';
import { connection, dataOf } from './wire/connection.ts';

type Told = Calls['POST /v1/conversations/{id}/exec']['events'];

/** What a command's stream tells; `exit` is the last. */
export type ExecEvent = ({ type: 'output' } & Told['output']) | ({ type: 'exit' } & Told['exit']);

/** The same as the service's own bound. */
const MOST_CHARACTERS = 1024 * 1024;
/** How long the end of the stream may take after its last event. */
const LAST_MS = 1000;

/** Runs a command once, whatever happens. Who stops reading ends it. */
export async function* execEvents(
  caller: Caller,
  conversation: string,
  request: ExecRequest,
  { signal }: CallOptions,
): AsyncGenerator<ExecEvent, void, undefined> {
  let ended = false;
  const events = connection({
    open: (until) =>
      caller.once('POST /v1/conversations/{id}/exec', {
        params: { id: conversation },
        json: request,
        headers: { accept: 'text/event-stream' },
        signal: until,
      }),
    signal,
    silenceMs: () => (ended ? LAST_MS : caller.settings.silenceMs),
    answersAtOnce: false, // it may have to wait for a container
  });
  try {
    for await (const wire of events) {
      if (wire === 'comment') continue;
      const data = dataOf(wire);
      if (wire.event === 'error') throw new BerthError(String(data.code), String(data.message));
      ended ||= wire.event === 'exit';
      // The service's own schema, of which these types are made, says what they have.
      if (wire.event === 'output' || wire.event === 'exit') yield { ...data, type: wire.event } as ExecEvent;
    }
  } catch (error) {
    if (!ended) throw asBerthError(error, signal);
  }
  if (!ended)
    throw new BerthError('CONNECTION_FAILED', 'the connection broke, and the command was ended with it');
}

/** By way of the stream, which a proxy does not take for dead however long the command is silent. */
export async function execResult(events: AsyncIterable<ExecEvent>): Promise<ExecResult> {
  const said = { stdout: '', stderr: '' };
  let truncated = false;
  let result: ExecResult | undefined;
  for await (const event of events) {
    if (event.type === 'exit') {
      const { type: _, ...exit } = event;
      result = { ...exit, ...said, truncated };
      continue;
    }
    const whole = said[event.stream] + event.text;
    truncated ||= whole.length > MOST_CHARACTERS;
    said[event.stream] = whole.slice(0, MOST_CHARACTERS);
  }
  if (result === undefined) throw new BerthError('UNEXPECTED_ANSWER', 'the command has no end');
  return result;
}
