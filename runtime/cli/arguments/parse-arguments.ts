import { type CommandSpec, type Option, UsageError } from '../command-spec.ts';
import { shown } from '../terminal/escape.ts';
import { nearest } from './nearest.ts';
import { usageLine } from './usage-line.ts';

export interface Parsed {
  help: boolean;
  arguments: Record<string, string | string[] | undefined>;
  options: Record<string, string | string[] | boolean | undefined>;
}

/** What was typed after a command's name, by the names of its spec. Throws `UsageError`, in one line. */
export function parseArguments(name: string, spec: CommandSpec, args: readonly string[]): Parsed {
  const parsed: Parsed = { help: false, arguments: {}, options: defaults(spec) };
  const words: string[] = [];
  const names = Object.keys(spec.arguments);
  const own = spec.passesOn === true ? names.length - 1 : Number.POSITIVE_INFINITY;
  const queue = [...args];
  for (let arg = queue.shift(); arg !== undefined; arg = queue.shift()) {
    if (arg === '--') {
      words.push(...queue.splice(0));
    } else if (arg.startsWith('-') && arg !== '-' && words.length <= own) {
      if (arg === '--help' || arg === '-h') parsed.help = true;
      else takeOption(spec, arg, queue, parsed.options);
    } else {
      words.push(arg);
      if (words.length > own) words.push(...queue.splice(0));
    }
  }
  if (!parsed.help) parsed.arguments = placed(name, spec, words);
  return parsed;
}

function defaults(spec: CommandSpec): Parsed['options'] {
  return Object.fromEntries(
    Object.entries(spec.options).map(([name, { value, repeated }]) => [
      name,
      value === undefined ? false : repeated === true ? [] : undefined,
    ]),
  );
}

function takeOption(spec: CommandSpec, arg: string, queue: string[], into: Parsed['options']): void {
  const long = arg.startsWith('--');
  const [typed, attached] = long ? splitAt(arg, arg.indexOf('=')) : splitAt(arg, arg.length > 2 ? 2 : -1, 0);
  const found = Object.entries(spec.options).find(([name, { short }]) =>
    long ? typed === `--${name}` : short !== undefined && typed === `-${short}`,
  );
  if (found === undefined) throw new UsageError(unknownOption(spec, typed));
  const [name, option] = found;
  if (option.value === undefined) {
    if (long && attached !== undefined) throw new UsageError(`${typed} takes no value`);
    into[name] = true;
    // `-rp` is `-r -p`.
    if (!long && attached !== undefined) queue.unshift(`-${attached}`);
    return;
  }
  const value = attached ?? queue.shift();
  if (value === undefined) throw new UsageError(`${typed} wants a value: ${typed} <${option.value}>`);
  into[name] = option.repeated === true ? [...textsOf(into[name]), value] : value;
}

function textsOf(value: Parsed['options'][string]): string[] {
  return Array.isArray(value) ? value : [];
}

function splitAt(text: string, index: number, skipped = 1): [string, string | undefined] {
  return index < 0 ? [text, undefined] : [text.slice(0, index), text.slice(index + skipped)];
}

function unknownOption(spec: CommandSpec, typed: string): string {
  const names = Object.keys(spec.options).map((name) => `--${name}`);
  const meant = typed.startsWith('--') ? nearest(typed, names) : undefined;
  const hint = meant === undefined ? '--help lists them' : `did you mean ${meant}?`;
  return `there is no option ${shown(typed)}; ${hint}`;
}

function placed(name: string, spec: CommandSpec, words: string[]): Parsed['arguments'] {
  const found: Parsed['arguments'] = {};
  const usage = `usage: ${usageLine(name, spec)}`;
  const left = [...words];
  for (const [argument, { many, optional }] of Object.entries(spec.arguments)) {
    if (left.length === 0 && optional !== true) throw new UsageError(`<${argument}> is missing; ${usage}`);
    found[argument] = many === true ? left.splice(0) : left.shift();
  }
  const [extra] = left;
  if (extra !== undefined) throw new UsageError(`${shown(extra)} is one too many; ${usage}`);
  return found;
}

/** The option's own spec; how `--url` before the command finds its value. */
export function takesValue(options: Readonly<Record<string, Option>>, arg: string): boolean {
  return arg.startsWith('--') && !arg.includes('=') && options[arg.slice(2)]?.value !== undefined;
}
