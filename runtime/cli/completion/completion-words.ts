import type { CommandSpec, Completes, Option } from '../command-spec.ts';
import { ALIASES, COMMAND_NAMES, COMMANDS, NOUNS } from '../command-table.ts';

export interface Word {
  word: string;
  says: string;
}

/** A command as its scripts need it. */
export interface CompletedCommand {
  name: string;
  options: readonly (readonly [name: string, option: Option])[];
  /** What each argument may be, in order. */
  arguments: readonly (Completes | undefined)[];
  /** The last of these goes on. */
  many: boolean;
}

const ALL: readonly (readonly [string, CommandSpec])[] = COMMAND_NAMES.map((name) => [name, COMMANDS[name]]);

/** First words. */
export function firstWords(): Word[] {
  const single = ALL.filter(([name]) => !name.includes(' ')).map(([name, { says }]) => ({
    word: name,
    says,
  }));
  const nouns = NOUNS.map((noun) => ({
    word: noun,
    says: secondWords(noun)
      .map(({ word }) => word)
      .join(', '),
  }));
  const aliases = Object.entries(ALIASES).map(([alias, name]) => ({
    word: alias,
    says: COMMANDS[name].says,
  }));
  return [...single, ...nouns, ...aliases].sort((a, b) => (a.word < b.word ? -1 : 1));
}

/** What may follow a noun. */
export function secondWords(noun: string): Word[] {
  return ALL.filter(([name]) => name.startsWith(`${noun} `)).map(([name, { says }]) => ({
    word: name.slice(noun.length + 1),
    says,
  }));
}

export function completedCommands(): CompletedCommand[] {
  const aliased = Object.entries(ALIASES).map(([alias, name]): [string, CommandSpec] => [
    alias,
    COMMANDS[name],
  ]);
  return [...ALL, ...aliased].map(([name, spec]) => ({
    name,
    options: Object.entries(spec.options),
    arguments: Object.values(spec.arguments).map(({ completes }) => completes),
    many: Object.values(spec.arguments).at(-1)?.many === true && spec.passesOn !== true,
  }));
}

/** Every way to write an option that takes a value, over all commands: an option means the same everywhere. */
export function valuedOptions(): { names: string[]; completes: Completes | undefined }[] {
  const found = new Map<string, { names: string[]; completes: Completes | undefined }>();
  for (const [, { options }] of ALL)
    for (const [name, { value, short, completes }] of Object.entries(options)) {
      if (value === undefined) continue;
      const names = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
      found.set(name, { names, completes: completes ?? found.get(name)?.completes });
    }
  return [...found.values()];
}
