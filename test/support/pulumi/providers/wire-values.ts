// Values as the engine sends them to a provider: plain JSON, with secrets and unknowns marked.

const MARK = '4dabf18193072939515e22adb298388d';
const SECRET = '1b47061264138c4ac30d75fd1eb44270';
/** Assets and archives. */
const FILES = ['c44067f5952c0a294b673a41bacd8c17', '0def7320c3a5731c473e5ecbe6d01bc7'];
const UNKNOWN = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

export type WireObject = Record<string, unknown>;

/** Marks a value, so that the engine keeps it encrypted. */
export function secretValue(value: unknown): WireObject {
  return { [MARK]: SECRET, value };
}

/** The value without marks, to work with; it goes nowhere else. */
export function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  if (!isObject(value)) return value;
  if (MARK in value) {
    if (value[MARK] === SECRET) return plainValue(value.value);
    if (!FILES.includes(String(value[MARK])))
      throw new Error(`This provider takes no references: ${JSON.stringify(value)}`);
  }
  const parts = Object.entries(value).filter(([key]) => key !== MARK);
  return Object.fromEntries(parts.map(([key, part]) => [key, plainValue(part)]));
}

/** Whether it is known only once something else is made. */
export function isUnknown(value: unknown): boolean {
  if (value === UNKNOWN) return true;
  if (Array.isArray(value)) return value.some(isUnknown);
  return isObject(value) && Object.values(value).some(isUnknown);
}

function isObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
