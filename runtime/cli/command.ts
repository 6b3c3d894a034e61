import { parseArgs } from 'node:util';

export type Environment = Record<string, string | undefined>;

/** Runs a command with its arguments and resolves with the exit code. */
export type Command = (args: string[], env: Environment) => Promise<number>;

/** For commands that take nothing but `--help`: 0 or 2 when the command is over already. */
export function onlyHelp(args: string[], help: string): number | undefined {
  try {
    const { values } = parseArgs({ args, options: { help: { type: 'boolean', short: 'h' } } });
    if (values.help !== true) return undefined;
    process.stdout.write(help);
    return 0;
  } catch (error) {
    process.stderr.write(`berth: ${error instanceof Error ? error.message : String(error)}\n${help}`);
    return 2;
  }
}
