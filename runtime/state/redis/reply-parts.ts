import { z } from 'zod';
import { BerthError } from '../../contracts/errors.ts';
import {
  parseContainerId,
  parseConversationId,
  parseExecutionId,
  parseTenantId,
  parseWorkerId,
} from '../../contracts/ids.ts';

/** What the scripts' answers are made of. Anything else is a fault and throws. */

export const done = z.literal('done');
export const fenced = z.enum(['done', 'stale']);
export const instant = z.int();
export const amount = z.int();
export const yesOrNo = z.literal([0, 1]).transform((reply) => reply === 1);
export const nothing = z.tuple([]).transform(() => undefined);
export const maybeText = z.string().transform((text) => (text === '' ? undefined : text));

export const container = named(parseContainerId);
export const conversation = named(parseConversationId);
export const tenant = named(parseTenantId);
export const execution = named(parseExecutionId);
export const worker = named(parseWorkerId);

const texts = z.array(z.string());

/** In a hash: ISO 8601 and digits. */
export const time = z.iso.datetime({ precision: 3 }).transform((text) => Date.parse(text));
export const digits = z.string().regex(/^\d+$/).transform(Number);

/** A hash as Redis gives it: field, value, field, value. */
export function hash<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.preprocess((reply) => pairs(texts.safeParse(reply).data ?? []), z.object(shape));
}

export function parseReply<Schema extends z.ZodType>(
  schema: Schema,
  what: string,
  reply: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(reply);
  if (parsed.success) return parsed.data;
  throw new BerthError('INTERNAL', `Redis holds or answered what it should not (${what}).`, {}, parsed.error);
}

function pairs(flat: string[]): Record<string, string | undefined> {
  const entries: [string, string | undefined][] = [];
  for (let i = 0; i < flat.length; i += 2) entries.push([flat[i] ?? '', flat[i + 1]]);
  return Object.fromEntries(entries);
}

export function named<Name>(parse: (text: string) => Name | undefined) {
  return z.string().transform((text, context) => {
    const name = parse(text);
    if (name !== undefined) return name;
    context.addIssue({ code: 'custom', message: 'not a name of its kind' });
    return z.NEVER;
  });
}
