import { VERSION } from '../version.ts';
import type { Command, Environment } from './command.ts';
import { configCommand } from './config-command.ts';
import { destroyAllCommand } from './destroy-all-command.ts';
import { keysCommand } from './keys-command.ts';
import { startCommand } from './start-command.ts';

const COMMANDS: Record<string, Command> = {
  start: startCommand,
  config: configCommand,
  keys: keysCommand,
  'destroy-all': destroyAllCommand,
};

const HELP = `Berth ${VERSION}: warm, isolated workspaces for AI agents.

  berth start         run the service
  berth config        show the settings in force, and what is wrong with them
  berth keys create   make an API key
  berth destroy-all   end every container of this installation, files saved first

  berth <command> --help   tells more of a command
  berth --version

Settings are environment variables; berth config lists them all.
`;

export async function runCommand(args: string[], env: Environment): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    process.stdout.write(HELP);
    return name === undefined ? 2 : 0;
  }
  if (name === '--version' || name === '-v') {
    process.stdout.write(`${VERSION}\n`);
    return 0;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    process.stderr.write(`berth: there is no command ${name}; berth --help lists them\n`);
    return 2;
  }
  return command(rest, env);
}
