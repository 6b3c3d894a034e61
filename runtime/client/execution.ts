import type { Calls, DoneEvent, ErrorEvent, ExecuteRequest } from './api.ts';
import { BerthError } from './wire/berth-error.ts';
import type { Caller } from './wire/caller.ts';
import { connection, dataOf } from './wire/connection.ts';
import type { SignOfLife, WireEvent } from './wire/event-parser.ts';
import { reconnecting } from './wire/reconnecting.ts';

type KnownEvents = Calls['POST /v1/conversations/{id}/execute']['events'];

/** Of a kind that this version of the client does not know. */
export interface UnknownEvent {
  type: 'unknown';
  /** Its kind. */
  event: string;
  seq: number;
  data: Record<string, unknown>;
}

/** What an execution tells. Exactly one `done` or `error` is the last. */
export type ExecutionEvent = KnownEvents[keyof KnownEvents] | UnknownEvent;

export interface ExecutionResult {
  executionId: string;
  /** What it said, or its script printed to stdout, as far as it had not been read before. */
  text: string;
  /** What its script printed to stderr, likewise. */
  stderr: string;
  /** Whether some of that was no longer kept when it was asked for. */
  gap: boolean;
  done: DoneEvent;
}

/** What to run, or what runs already. */
export type ExecutionOrigin =
  | { request: ExecuteRequest; idempotencyKey: string }
  | { executionId: string; after: number };

const KNOWN: Record<keyof KnownEvents, true> = {
  container: true,
  text_delta: true,
  thinking: true,
  tool_use: true,
  tool_result: true,
  system: true,
  gap: true,
  container_recovered: true,
  done: true,
  error: true,
};
/** How long the end of the stream may take after its last event. */
const LAST_MS = 1000;

/**
 * One execution, read as `for await (const event of execution)`. It begins when it is first read, or `started()` or
 * `result()` is called. Lost connections are taken up again, without an event lost or told twice. Who leaves the loop
 * closes the connection, while the execution goes on unless `on_disconnect` says otherwise; another loop goes on
 * where that one stopped.
 */
export class Execution implements AsyncIterable<ExecutionEvent> {
  readonly #caller: Caller;
  readonly #conversation: string;
  readonly #origin: ExecutionOrigin;
  readonly #signal: AbortSignal | undefined;
  /** Read, and not told yet. */
  readonly #held: ExecutionEvent[] = [];
  #waiting: { resolve: (id: string) => void; reject: (error: unknown) => void }[] = [];
  #source: AsyncGenerator<ExecutionEvent> | undefined;
  #reading = false;
  #id: string | undefined;
  #last: number;
  #end: DoneEvent | ErrorEvent | undefined;

  constructor(
    caller: Caller,
    conversation: string,
    origin: ExecutionOrigin,
    signal: AbortSignal | undefined,
  ) {
    this.#caller = caller;
    this.#conversation = conversation;
    this.#origin = origin;
    this.#signal = signal;
    this.#id = 'executionId' in origin ? origin.executionId : undefined;
    this.#last = 'executionId' in origin ? origin.after : 0;
  }

  /** Known from the first event on. */
  get executionId(): string | undefined {
    return this.#id;
  }

  /** The number of the last event that was read: what `attach` takes as `after`. */
  get lastSeq(): number {
    return this.#last;
  }

  /** Begins it, and resolves with its id. Holds the connection open until it is read, or closed. */
  async started(): Promise<string> {
    if (this.#id !== undefined) return this.#id;
    if (this.#reading) return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
    this.#reading = true;
    try {
      const { value } = await this.#next();
      if (value !== undefined) this.#held.push(value);
    } finally {
      this.#reading = false;
    }
    return this.#id ?? this.started();
  }

  /** Lets go of the connection that `started()` holds: the same as leaving a loop. */
  async close(): Promise<void> {
    if (this.#reading)
      throw new BerthError('INVALID_REQUEST', 'this execution is being read: leave the loop');
    const source = this.#source;
    this.#source = undefined;
    await source?.return(undefined);
  }

  /** Ends it; the stream tells when that has happened. One that has ended stays as it is. */
  async cancel(options: { signal?: AbortSignal } = {}): Promise<void> {
    const params = { id: this.#conversation, execution_id: await this.started() };
    await this.#caller.json('POST /v1/conversations/{id}/executions/{execution_id}/cancel', {
      params,
      harmless: true,
      ...options,
    });
  }

  /** Reads to the end. Throws `EXECUTION_FAILED` where that is an `error`. */
  async result(): Promise<ExecutionResult> {
    const said = { text: '', stderr: '', gap: false };
    for await (const event of this) {
      if (event.type === 'gap') said.gap = true;
      if (event.type === 'text_delta') said[event.stream === 'stderr' ? 'stderr' : 'text'] += event.text;
    }
    const end = this.#end;
    if (end?.type === 'done') return { executionId: end.execution_id, ...said, done: end };
    const detail = end === undefined ? 'its end was not told' : `${end.error_type}: ${end.message}`;
    throw new BerthError('EXECUTION_FAILED', detail, { cause: end });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ExecutionEvent, void, undefined> {
    if (this.#reading) throw new BerthError('INVALID_REQUEST', 'this execution is being read already');
    this.#reading = true;
    try {
      for (;;) {
        const held = this.#held.shift();
        const { value, done } = held === undefined ? await this.#next() : { value: held, done: false };
        if (done === true || value === undefined) return;
        yield value;
      }
    } finally {
      this.#reading = false;
      await this.close();
    }
  }

  async #next(): Promise<IteratorResult<ExecutionEvent, undefined>> {
    try {
      this.#source ??= reconnecting({
        connect: () => this.#connect(),
        over: () => this.#end !== undefined,
        settings: this.#caller.settings,
        signal: this.#signal,
      });
      const result = await this.#source.next();
      if (this.#id !== undefined) for (const { resolve } of this.#waiting.splice(0)) resolve(this.#id);
      return result;
    } catch (error) {
      this.#source = undefined;
      for (const { reject } of this.#waiting.splice(0)) reject(error);
      throw error;
    }
  }

  async *#connect(): AsyncGenerator<ExecutionEvent | SignOfLife> {
    const events = connection({
      open: (signal) => this.#open(signal),
      signal: this.#signal,
      silenceMs: () => (this.#end === undefined ? this.#caller.settings.silenceMs : LAST_MS),
      answersAtOnce: this.#id !== undefined, // the first may have to wait for a container
    });
    for await (const wire of events) {
      if (wire === 'comment') {
        yield wire;
        continue;
      }
      const event = eventOf(wire);
      if (this.#end !== undefined || event.seq <= this.#last) continue;
      this.#last = event.seq;
      if (event.type !== 'unknown') this.#id = event.execution_id;
      if (event.type === 'done' || event.type === 'error') this.#end = event;
      yield event;
    }
  }

  /** Until there is an id, the same request under the same key: it attaches to what it began. */
  async #open(signal: AbortSignal): Promise<Response> {
    const accept = 'text/event-stream';
    if (this.#id === undefined && 'request' in this.#origin)
      return this.#caller.once('POST /v1/conversations/{id}/execute', {
        params: { id: this.#conversation },
        json: this.#origin.request,
        headers: { accept, 'idempotency-key': this.#origin.idempotencyKey },
        signal,
      });
    const execution_id = this.#id ?? '';
    try {
      return await this.#caller.once('GET /v1/conversations/{id}/executions/{execution_id}/events', {
        params: { id: this.#conversation, execution_id },
        headers: { accept, ...(this.#last > 0 ? { 'last-event-id': String(this.#last) } : {}) },
        signal,
      });
    } catch (error) {
      if (!(error instanceof BerthError) || error.code !== 'EXECUTION_NOT_FOUND') throw error;
      const detail = `${error.detail}: its events after ${this.#last} can't be had any more`;
      throw new BerthError(error.code, detail, { ...error, cause: error });
    }
  }
}

function eventOf(wire: WireEvent): ExecutionEvent {
  const data = dataOf(wire);
  const seq = Number(wire.id ?? data.seq);
  if (!Number.isSafeInteger(seq))
    throw new BerthError('UNEXPECTED_ANSWER', `the event "${wire.event}" has no number`);
  if (!Object.hasOwn(KNOWN, wire.event)) return { type: 'unknown', event: wire.event, seq, data };
  // The service's own schema, of which these types are made, says what it has.
  return { ...data, seq, type: wire.event } as ExecutionEvent;
}
