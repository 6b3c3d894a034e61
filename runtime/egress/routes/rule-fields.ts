/** A rule that is none. The message names the field and what it wants, and never has a secret in it. */
export class RuleError extends Error {}

/** An object with exactly these keys. */
export function objectOf<K extends string>(
  value: unknown,
  field: string,
  keys: readonly K[],
): Record<K, unknown> {
  const object = dictionary(value, field);
  const missing = keys.filter((key) => !Object.hasOwn(object, key));
  if (missing.length > 0) throw new RuleError(`${field} lacks ${missing.join(', ')}`);
  // The cast: each of the keys has just been seen.
  const known = object as Record<K, unknown>;
  if (Object.keys(object).length > keys.length) {
    throw new RuleError(`${field} has fields besides ${keys.join(', ')}`);
  }
  return known;
}

/** An object with any keys. */
export function dictionary(value: unknown, field: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RuleError(`${field} must be an object`);
  }
  return value as Record<string, unknown>; // the cast: any object that is no list is one
}

/** A text that `form` matches; `wanted` says in words what that is. */
export function textOf(value: unknown, field: string, form: RegExp, wanted: string): string {
  if (typeof value !== 'string' || !form.test(value)) throw new RuleError(`${field} must be ${wanted}`);
  return value;
}

/** A list of texts. */
export function textsOf(value: unknown, field: string, most: number, form: RegExp, wanted: string): string[] {
  if (!Array.isArray(value) || value.length > most) {
    throw new RuleError(`${field} must be a list of at most ${most} entries`);
  }
  return value.map((entry: unknown, index) => textOf(entry, `${field}[${index}]`, form, wanted));
}
