import type { Readable } from 'node:stream';
import type { ExecutionEvent } from '../contracts/agent-protocol.ts';
import { AgentMisbehaved } from './agent-failures.ts';
import { agentBytes } from './bounded-reading.ts';
import { checkEvent, type ExecutionEnding } from './check-event.ts';

const LINE_BYTES = 1024 * 1024;
const NEW_LINE = 10;

/** One event of an execution, checked. */
export interface AgentEvent {
  /** Grows; where it jumps, what is between is lost. */
  seq: number;
  type: ExecutionEvent['type'];
  /** Its JSON without the opening brace, for ours to be put before it. */
  fields: string;
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
  #rest: Buffer = Buffer.alloc(0);

  constructor(after: number) {
    this.#last = after;
  }

  take(chunk: Buffer): AgentEvent[] {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const events: AgentEvent[] = [];
    let start = 0;
    for (let end = bytes.indexOf(NEW_LINE); end !== -1; end = bytes.indexOf(NEW_LINE, start)) {
      const event = this.#line(bytes, start, end);
      if (event !== undefined) events.push(event);
      start = end + 1;
    }
    this.#rest = bytes.subarray(start);
    if (this.#rest.length > LINE_BYTES)
      throw new AgentMisbehaved(`a line is longer than ${LINE_BYTES} bytes`);
    return events;
  }

  /** `id:` and `data:` count; anything else (`event:`, comments, blank lines) is passed over. */
  #line(bytes: Buffer, start: number, end: number): AgentEvent | undefined {
    const name = bytes.toString('latin1', start, Math.min(start + 5, end));
    if (name.startsWith('id:')) {
      this.#id = Number(bytes.toString('latin1', start + 3, Math.min(start + 32, end)));
    } else if (name === 'data:') {
      return this.#event(bytes.toString('utf8', start + 5, end).trim());
    }
    return undefined;
  }

  #event(json: string): AgentEvent | undefined {
    const seq = this.#id;
    if (!Number.isSafeInteger(seq) || seq <= this.#last) {
      throw new AgentMisbehaved('the number of an event does not grow');
    }
    if (this.#ended) throw new AgentMisbehaved('an event comes after the last');
    this.#last = seq;
    const event = checkEvent(json);
    if (event === 'gap') return undefined;
    this.#ended = event.end !== undefined;
    return { seq, ...event };
  }
}
