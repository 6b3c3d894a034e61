import { isUtf8 } from 'node:buffer';
import type { ExecutionEnd, ExecutionErrorType, ExecutionEvent } from '../contracts/agent-protocol.ts';
import { AgentMisbehaved } from './agent-failures.ts';

/** The most an event may have, as JSON; what is longer is cut. */
export const EVENT_BYTES = 60 * 1024;
/** What is left of a text that is cut; less where that is still too long, since a character may take six bytes. */
const CUT_CHARACTERS = 8 * 1024;

const [SPACE, OPENING_BRACE, CLOSING_BRACE] = Buffer.from(' {}');

/** Fields that the runtime puts before an event's own. */
const OURS = ['seq', 'timestamp', 'execution_id'] as const;

const ERROR_TYPES: ReadonlySet<unknown> = new Set<ExecutionErrorType>([
  'execution_error',
  'timeout_error',
  'context_limit_exceeded',
  'container_lost',
  'cancelled',
  'conversation_locked',
]);

type Fields = Record<string, unknown>;

/** Whether an event has what its type must have; what it has besides is passed on. */
const SHAPES: Record<ExecutionEvent['type'], (event: Fields) => boolean> = {
  text_delta: hasText,
  thinking: hasText,
  tool_use: ({ id, name }) => typeof id === 'string' && typeof name === 'string',
  tool_result: ({ id, is_error }) => typeof id === 'string' && typeof is_error === 'boolean',
  system: () => true,
  done: isDone,
  error: isError,
};

/** What the runtime looks at of an event that ends an execution. */
export type ExecutionEnding = Pick<ExecutionDone, 'type' | 'subtype'> | ExecutionError;
type ExecutionDone = Extract<ExecutionEnd, { type: 'done' }>;
type ExecutionError = Extract<ExecutionEnd, { type: 'error' }>;

export interface CheckedEvent {
  type: ExecutionEvent['type'];
  /** Its JSON without the opening brace. May be part of what came. */
  fields: Buffer;
  end: ExecutionEnding | undefined;
}

/**
 * One event's JSON as an agent sent it, with or without space around it, from `start` to `end` of these bytes. A gap is
 * told by the numbers around it.
 */
export function checkEvent(bytes: Buffer, start = 0, end = bytes.length): CheckedEvent | 'gap' {
  const json = bytes.toString('utf8', start, end).trim();
  const event = parse(json);
  if (event.type === 'gap') return 'gap';
  const { type } = event;
  if (!isType(type)) throw new AgentMisbehaved('an event is of no known type');
  if (!SHAPES[type](event)) throw new AgentMisbehaved(`an event "${type}" has another shape`);
  const last = isDone(event) || isError(event) ? event : undefined;
  return { type, fields: fieldsOf(event, json, bytes, start, end), end: last };
}

function hasText({ text, bytes }: Fields): boolean {
  return typeof text === 'string' && (bytes === undefined || typeof bytes === 'string');
}

function isDone(event: Fields): event is Fields & ExecutionDone {
  return event.type === 'done' && typeof event.subtype === 'string';
}

function isError(event: Fields): event is Fields & ExecutionError {
  const { type, error_type, message, recoverable } = event;
  return (
    type === 'error' &&
    ERROR_TYPES.has(error_type) &&
    typeof message === 'string' &&
    typeof recoverable === 'boolean'
  );
}

function parse(json: string): Fields {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Fields; // an object that JSON.parse made has string keys
    }
  } catch (error) {
    throw new AgentMisbehaved('an event is no JSON', error);
  }
  throw new AgentMisbehaved('an event is no object');
}

function isType(type: unknown): type is ExecutionEvent['type'] {
  return typeof type === 'string' && Object.hasOwn(SHAPES, type);
}

/** What came, unless it is too long, has fields of ours, or a return, which would end a line for clients. */
function fieldsOf(event: Fields, json: string, bytes: Buffer, start: number, end: number): Buffer {
  const plain = !json.includes('\r') && !hasOurs(event);
  const own = plain ? event : withoutOurs(event);
  let fields = plain ? asItCame(json, bytes, start, end) : fieldsIn(own);
  for (let room = CUT_CHARACTERS; fields.length >= EVENT_BYTES; room /= 2) fields = fieldsIn(cut(own, room));
  return fields;
}

/** Without a copy, where that is the same: what is no UTF-8 or has other space around it is written anew. */
function asItCame(json: string, bytes: Buffer, start: number, end: number): Buffer {
  const brace = bytes[start] === SPACE ? start + 1 : start;
  if (bytes[brace] === OPENING_BRACE && bytes[end - 1] === CLOSING_BRACE) {
    const fields = bytes.subarray(brace + 1, end);
    if (isUtf8(fields)) return fields;
  }
  return Buffer.from(json.slice(1));
}

function hasOurs(event: Fields): boolean {
  return OURS.some((name) => Object.hasOwn(event, name));
}

function withoutOurs(event: Fields): Fields {
  return Object.fromEntries(Object.entries(event).filter(([name]) => !OURS.some((ours) => ours === name)));
}

function fieldsIn(event: Fields): Buffer {
  return Buffer.from(JSON.stringify(event).slice(1));
}

/** The same event with every value cut that is longer than `room`, and said so. */
function cut(event: Fields, room: number): Fields {
  const fields = Object.entries(event).slice(0, 16);
  return {
    ...Object.fromEntries(fields.map(([name, value]) => [name.slice(0, 64), shorten(value, room)])),
    truncated: true,
  };
}

function shorten(value: unknown, room: number): unknown {
  const whole = typeof value === 'string' ? value : JSON.stringify(value);
  return whole === undefined || whole.length <= room ? value : whole.slice(0, room);
}
