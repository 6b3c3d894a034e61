export type Environment = Record<string, string | undefined>;

/** What a shell offers when the user asks it to go on with a word. */
export type Completes =
  | 'file'
  | 'conversation'
  | 'workspace'
  | 'function'
  | 'container'
  | 'copied'
  | readonly string[];

export interface Option {
  says: string;
  short?: string;
  /** What its value is called; an option without one is on or off. */
  value?: string;
  repeated?: true;
  completes?: Completes;
}

export interface Argument {
  optional?: true;
  /** Any number of them; only the last can be. */
  many?: true;
  completes?: Completes;
}

/** All that is said of a command: its help, its completion and the check of what it is given come from this. */
export interface CommandSpec {
  group: Group;
  says: string;
  /** By name, in order. */
  arguments: Readonly<Record<string, Argument>>;
  options: Readonly<Record<string, Option>>;
  /** From the last argument on everything is another program's, whatever it looks like. */
  passesOn?: true;
  /** More of it, a paragraph. */
  notes?: string;
  /** A command line, and what it does. */
  examples: readonly (readonly [line: string, says: string])[];
}

export type Group = 'Service' | 'Conversations' | 'Workspaces' | 'Functions' | 'Operating' | 'Shell';

type Value<Given extends Option> = Given extends { value: string }
  ? Given extends { repeated: true }
    ? string[]
    : string | undefined
  : boolean;

type Word<Given extends Argument> = Given extends { many: true }
  ? string[]
  : Given extends { optional: true }
    ? string | undefined
    : string;

/** What a command was given, by the names of its spec. */
export interface Given<Spec extends CommandSpec> {
  arguments: { [Name in keyof Spec['arguments']]: Word<Spec['arguments'][Name]> };
  options: { [Name in keyof Spec['options']]: Value<Spec['options'][Name]> };
}

/** What is wrong with what was typed, in one line: exit code 2. */
export class UsageError extends Error {}

/** What could not be done, in one line: exit code 1. */
export class Failure extends Error {}
