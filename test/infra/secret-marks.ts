/** What Pulumi wraps a secret in, among a resource's inputs. */
export const SECRET_KEY = '4dabf18193072939515e22adb298388d';
export const SECRET = { [SECRET_KEY]: '1b47061264138c4ac30d75fd1eb44270' };

export function isMarked(value: unknown): value is { value: unknown } {
  return typeof value === 'object' && value !== null && SECRET_KEY in value;
}

/** The same value, without marks. */
export function plain<T>(value: T): T {
  // The casts: it is of the same shape.
  if (isMarked(value)) return plain(value.value) as T;
  if (Array.isArray(value)) return value.map(plain) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, plain(part)])) as T;
}

/** As a provider is told it: an input is secret as a whole where any part of it is. */
export function wholeSecrets<T extends Record<string, unknown>>(inputs: T): T {
  const whole = (value: unknown) => (holdsSecret(value) ? { ...SECRET, value: plain(value) } : value);
  return Object.fromEntries(Object.entries(inputs).map(([key, value]) => [key, whole(value)])) as T; // its keys
}

function holdsSecret(value: unknown): boolean {
  if (isMarked(value)) return true;
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsSecret);
}
