import type { CommandSpec, Given } from './command-spec.ts';
import { completionCommands } from './completion/completion-commands.ts';
import { containerCommands } from './container/container-commands.ts';
import { conversationCommands } from './conversation/conversation-commands.ts';
import { functionCommands } from './function/function-commands.ts';
import { keyCommands } from './key/key-commands.ts';
import { serviceCommands } from './service/service-commands.ts';
import { workspaceCommands } from './workspace/workspace-commands.ts';

/** Every command, by its words, in the order that help lists them. */
export const COMMANDS = {
  ...serviceCommands,
  ...keyCommands,
  ...conversationCommands,
  ...workspaceCommands,
  ...functionCommands,
  ...containerCommands,
  ...completionCommands,
} as const satisfies Record<string, CommandSpec>;

export type CommandName = keyof typeof COMMANDS;

/** What the command of this name was given. */
export type GivenTo<Name extends CommandName> = Given<(typeof COMMANDS)[Name]>;

/** Other words for the same. */
export const ALIASES: Readonly<Record<string, CommandName>> = { up: 'start' };

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[]; // the table's own keys

/** First words of commands that have two: `workspace`. */
export const NOUNS: readonly string[] = [
  ...new Set(COMMAND_NAMES.filter((name) => name.includes(' ')).map((name) => name.split(' ')[0] ?? '')),
];
