import { z } from 'zod';
import type { ExecutionEvent } from '../contracts/agent-protocol.ts';
import { AgentMisbehaved } from './agent-failures.ts';

/** The most an event may have, as JSON; what is longer is cut. */
export const EVENT_BYTES = 60 * 1024;
/** What is left of a text that is cut; as JSON a character may take six bytes. */
const CUT_CHARACTERS = 8 * 1024;

/** Fields that the runtime puts before an event's own. */
const OURS = ['seq', 'timestamp', 'execution_id'] as const;

const text = z.looseObject({ text: z.string() });

const done = z.looseObject({ type: z.literal('done'), subtype: z.string() });
const error = z.looseObject({
  type: z.literal('error'),
  error_type: z.enum([
    'execution_error',
    'timeout_error',
    'context_limit_exceeded',
    'container_lost',
    'cancelled',
    'conversation_locked',
  ]),
  message: z.string(),
  recoverable: z.boolean(),
});

/** What the runtime looks at of an event that ends an execution. */
const END = z.discriminatedUnion('type', [done, error]);

/** What each type must have; what it has besides is passed on. */
const SHAPES: Record<ExecutionEvent['type'], z.ZodType<Record<string, unknown>>> = {
  text_delta: text,
  thinking: text,
  tool_use: z.looseObject({ id: z.string(), name: z.string() }),
  tool_result: z.looseObject({ id: z.string(), is_error: z.boolean() }),
  system: z.looseObject({}),
  done,
  error,
};

export type ExecutionEnding = z.infer<typeof END>;

export interface CheckedEvent {
  type: ExecutionEvent['type'];
  fields: string;
  end: ExecutionEnding | undefined;
}

/** One event's JSON as an agent sent it. A gap is told by the numbers around it. */
export function checkEvent(json: string): CheckedEvent | 'gap' {
  const event = parse(json);
  if (event.type === 'gap') return 'gap';
  const { type } = event;
  if (!isType(type)) throw new AgentMisbehaved('an event is of no known type');
  const shape = SHAPES[type].safeParse(event);
  if (!shape.success) throw new AgentMisbehaved(`an event "${type}" has another shape`, shape.error);
  const end = type === 'done' || type === 'error' ? END.parse(event) : undefined;
  return { type, fields: fieldsOf(event, json), end };
}

function parse(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      return value as Record<string, unknown>; // an object that JSON.parse made has string keys
    }
  } catch (error) {
    throw new AgentMisbehaved('an event is no JSON', error);
  }
  throw new AgentMisbehaved('an event is no object');
}

function isType(type: unknown): type is ExecutionEvent['type'] {
  return typeof type === 'string' && Object.hasOwn(SHAPES, type);
}

/** The text as it came, unless it is too long, has fields of ours, or a return, which would end a line for clients. */
function fieldsOf(event: Record<string, unknown>, json: string): string {
  const short = json.length * 3 <= EVENT_BYTES || Buffer.byteLength(json) <= EVENT_BYTES;
  const plain = !json.includes('\r') && !OURS.some((name) => Object.hasOwn(event, name));
  if (short && plain) return json.slice(1);
  const own = Object.fromEntries(
    Object.entries(event).filter(([name]) => !OURS.some((ours) => ours === name)),
  );
  return JSON.stringify(short ? own : cut(own)).slice(1);
}

/** The same event with every long value cut, and said so. */
function cut(event: Record<string, unknown>): Record<string, unknown> {
  const fields = Object.entries(event).slice(0, 16);
  return {
    ...Object.fromEntries(fields.map(([name, value]) => [name.slice(0, 64), shorten(value, fields.length)])),
    truncated: true,
  };
}

function shorten(value: unknown, among: number): unknown {
  const whole = typeof value === 'string' ? value : JSON.stringify(value);
  const room = Math.floor(CUT_CHARACTERS / Math.max(1, among / 4));
  return whole === undefined || whole.length <= room ? value : whole.slice(0, room);
}
