import { type Environment, UsageError } from '../command-spec.ts';
import { shown } from '../terminal/escape.ts';

const SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 };

/** `90`, `90s`, `5m`, `1h`, `2d` in seconds. */
export function seconds(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text) ?? [];
  const value = Number(number) * (SECONDS[unit] ?? 0);
  if (number === '' || value <= 0)
    throw new UsageError(`--${option} wants a time like 90, 90s, 5m or 1h, not ${shown(text)}`);
  return value;
}

export function wholeNumber(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${option} wants a whole number, not ${shown(text)}`);
  return Number(text);
}

export function number(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(text))
    throw new UsageError(`--${option} wants a number, not ${shown(text)}`);
  return Number(text);
}

/** `NAME=value`, or `NAME` for the value that it has here. */
export function variables(texts: readonly string[], env: Environment): Record<string, string> | undefined {
  if (texts.length === 0) return undefined;
  return Object.fromEntries(
    texts.map((text) => {
      const [, name, , given] = /^([A-Za-z_][A-Za-z0-9_]*)(=([\s\S]*))?$/.exec(text) ?? [];
      // What is no name may be a secret on its own: it is not repeated.
      if (name === undefined) throw new UsageError('--env wants NAME=value, or NAME');
      const value = given ?? env[name];
      if (value === undefined) throw new UsageError(`--env ${name}: there is no such variable here`);
      return [name, value];
    }),
  );
}
