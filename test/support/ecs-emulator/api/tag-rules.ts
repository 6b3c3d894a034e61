import { z } from 'zod';
import { invalidParameter } from './aws-error.ts';

export const Tags = z.array(z.strictObject({ key: z.string().optional(), value: z.string().optional() }));
type Tags = z.infer<typeof Tags>;

const MOST_TAGS = 50;
const ALLOWED = /^[\p{L}\p{Z}\p{N}_.:/=+\-@]*$/u;

/** Checks tags against the rules of ECS, together with those that the resource has. */
export function checkedTags(
  tags: Tags,
  existing: ReadonlyMap<string, string> = new Map(),
): Map<string, string> {
  const checked = new Map<string, string>();
  for (const { key, value = '' } of tags) {
    if (key === undefined || key === '') throw invalidParameter('A tag key must be specified.');
    if ([...key].length > 128) throw invalidParameter('Tag keys can be at most 128 characters long.');
    if ([...value].length > 256) throw invalidParameter('Tag values can be at most 256 characters long.');
    if (/^aws:/i.test(key) || /^aws:/i.test(value)) {
      throw invalidParameter("Tag keys and values can't start with aws:, which is reserved.");
    }
    if (!ALLOWED.test(key) || !ALLOWED.test(value)) {
      throw invalidParameter(
        'Tag keys and values consist of letters, numbers, spaces and the characters _ . : / = + - @',
      );
    }
    if (checked.has(key)) throw invalidParameter(`Duplicate tag key: ${key}`);
    checked.set(key, value);
  }
  const own = [...existing.keys()].filter((key) => !key.startsWith('aws:'));
  if (new Set([...own, ...checked.keys()]).size > MOST_TAGS) {
    throw invalidParameter(`The number of tags exceeds the limit of ${MOST_TAGS}.`);
  }
  return checked;
}

export function tagList(tags: ReadonlyMap<string, string>): { key: string; value: string }[] {
  return [...tags].map(([key, value]) => ({ key, value }));
}
