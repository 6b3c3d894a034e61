import type { Readable } from 'node:stream';
import type { ExecutionEvent } from '../contracts/agent-protocol.ts';
import { AgentMisbehaved } from './agent-failures.ts';
import { agentBytes } from './bounded-reading.ts';
import { checkEvent, type ExecutionEnding } from './check-event.ts';
import { fieldOfLine, lineEnd, numberIn } from './event-stream-line.ts';
import { PartialLine } from './partial-line.ts';

const LINE_BYTES = 1024 * 1024;

/** One event of an execution, checked. */
export interface AgentEvent {
  /** Grows; where it jumps, what is between is lost. */
  seq: number;
  type: ExecutionEvent['type'];
  /** Its JSON without the opening brace, for ours to be put before it. Part of what came, but for the last event. */
  fields: Buffer;
  /** Set for the last event. */
  end: ExecutionEnding | undefined;
}

/**
 * The events of an execution after number `after`, as many at a time as have come. Returns after the last one.
 * Throws `AgentUnreachable` when the connection breaks before it, `AgentMisbehaved` for what is no such event.
 */
export async function* executionEvents(
  source: Readable,
  after: number,
  signal: AbortSignal,
): AsyncGenerator<AgentEvent[]> {
  const lines = new EventLines(after);
  for await (const chunk of agentBytes(source, signal)) {
    const batch = lines.take(chunk);
    if (batch.length === 0) continue;
    yield batch;
    if (batch.at(-1)?.end !== undefined) return;
  }
  throw new AgentMisbehaved('the stream of an execution ends before the execution');
}

/** Puts events together from the bytes of a stream of server-sent events. */
class EventLines {
  #last: number;
  #id = 0;
  #ended = false;
  readonly #partial = new PartialLine();

  constructor(after: number) {
    this.#last = after;
  }

  take(chunk: Buffer): AgentEvent[] {
    const events: AgentEvent[] = [];
    let start = 0;
    for (let end = lineEnd(chunk, 0); end !== -1; end = lineEnd(chunk, start)) {
      const event =
        this.#partial.length === 0 ? this.#line(chunk, start, end) : this.#rest(chunk.subarray(start, end));
      if (event !== undefined) events.push(event);
      start = end + 1;
    }
    if (start < chunk.length) this.#partial.add(chunk.subarray(start));
    if (this.#partial.length > LINE_BYTES)
      throw new AgentMisbehaved(`a line is longer than ${LINE_BYTES} bytes`);
    return events;
  }

  #rest(end: Buffer): AgentEvent | undefined {
    this.#partial.add(end);
    const line = this.#partial.take();
    return this.#line(line, 0, line.length);
  }

  /** `id:` and `data:` count; anything else (`event:`, comments, blank lines) is passed over. */
  #line(bytes: Buffer, start: number, end: number): AgentEvent | undefined {
    const field = fieldOfLine(bytes, start, end);
    if (field === 'id') this.#id = numberIn(bytes, start + 3, end);
    return field === 'data' ? this.#event(bytes, start + 5, end) : undefined;
  }

  #event(bytes: Buffer, start: number, stop: number): AgentEvent | undefined {
    const seq = this.#id;
    if (!Number.isSafeInteger(seq) || seq <= this.#last) {
      throw new AgentMisbehaved('the number of an event does not grow');
    }
    if (this.#ended) throw new AgentMisbehaved('an event comes after the last');
    this.#last = seq;
    const event = checkEvent(bytes, start, stop);
    if (event === 'gap') return undefined;
    const { type, fields, end } = event;
    this.#ended = end !== undefined;
    return { seq, type, fields: this.#ended ? Buffer.from(fields) : fields, end };
  }
}
