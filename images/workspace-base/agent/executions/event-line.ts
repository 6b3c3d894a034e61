import { isUtf8 } from 'node:buffer';
import type { ExecutionErrorType, ExecutionEvent } from '../../../../runtime/contracts/agent-protocol.ts';
import { isRecord } from '../http/json-body.ts';

/** The runtime reads lines of at most 1 MiB, `data: ` included. */
export const MAX_LINE_BYTES = 1024 * 1024 - 4 * 1024;

type EventType = ExecutionEvent['type'];

/** A line of a runner: an event, nothing at all, or something else. */
export type EventLine = { type: EventType; data: Buffer } | 'blank' | { wrong: string };

/** Errors that are a runner's to say: what befell the container or the conversation it can't know. */
const ERRORS: Record<Exclude<ExecutionErrorType, 'container_lost' | 'conversation_locked'>, true> = {
  execution_error: true,
  timeout_error: true,
  context_limit_exceeded: true,
  cancelled: true,
};

type Shape = (event: Record<string, unknown>) => boolean;

const isText = (value: unknown): value is string => typeof value === 'string';
const optional = (kind: 'string' | 'number', ...values: unknown[]) =>
  values.every((value) => value === undefined || typeof value === kind);

/** What an event must have; what it has besides is passed on. */
const SHAPES: Record<EventType, Shape> = {
  text_delta: ({ text, bytes, stream }) =>
    isText(text) &&
    optional('string', bytes) &&
    (stream === undefined || stream === 'stdout' || stream === 'stderr'),
  thinking: ({ text }) => isText(text),
  tool_use: (event) => isText(event.id) && isText(event.name) && 'input' in event,
  tool_result: (event) => isText(event.id) && 'content' in event && typeof event.is_error === 'boolean',
  system: () => true,
  done: (event) =>
    isText(event.subtype) &&
    optional('string', event.result, event.session_id) &&
    optional('number', event.num_turns, event.duration_ms, event.cost_usd) &&
    (event.exit_code === null || optional('number', event.exit_code)),
  error: ({ error_type, message, recoverable }) =>
    isText(error_type) &&
    Object.hasOwn(ERRORS, error_type) &&
    isText(message) &&
    typeof recoverable === 'boolean',
};

const isEventType = (type: unknown): type is EventType => isText(type) && Object.hasOwn(SHAPES, type);

/** Reads a line without its end. The event's data are the line's own bytes, still lent. */
export function readEventLine(line: Buffer): EventLine {
  if (line.length > MAX_LINE_BYTES) return { wrong: `longer than ${MAX_LINE_BYTES} bytes` };
  if (!isUtf8(line)) return { wrong: 'not UTF-8' };
  const text = line.toString();
  let event: unknown;
  try {
    event = JSON.parse(text);
  } catch {
    return text.trim() === '' ? 'blank' : { wrong: 'not JSON' };
  }
  if (!isRecord(event)) return { wrong: 'not an object' };
  if (!isEventType(event.type)) return { wrong: 'not of a known type' };
  if (!SHAPES[event.type](event)) return { wrong: `not the shape of ${event.type}` };
  return { type: event.type, data: bareJson(line) };
}

const CARRIAGE_RETURN = 0x0d;
const BLANK = 0x20;
const OPEN = 0x7b;
const CLOSE = 0x7d;

/** An object's JSON without what is around it, nor a carriage return in it, which would end a line of the stream. */
function bareJson(line: Buffer): Buffer {
  const bare = line.subarray(line.indexOf(OPEN), line.lastIndexOf(CLOSE) + 1);
  // Lent bytes may be written to; JSON has a carriage return only where it may have a blank.
  for (let at = bare.indexOf(CARRIAGE_RETURN); at >= 0; at = bare.indexOf(CARRIAGE_RETURN, at))
    bare[at] = BLANK;
  return bare;
}
