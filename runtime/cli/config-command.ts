import { VARIABLES } from '../contracts/environment.ts';
import { loadConfig, variableNames } from '../contracts/load-config.ts';
import type { Variable } from '../contracts/variable.ts';
import { type Environment, onlyHelp } from './command.ts';

const HELP = `berth config: show the settings in force

Lists every setting with its value, where it comes from and what it means; secrets are not shown.
Problems are listed at the end, and the exit code is 2 when there are any.
`;

export async function configCommand(args: string[], env: Environment): Promise<number> {
  const done = onlyHelp(args, HELP);
  if (done !== undefined) return done;
  const loaded = loadConfig(env);
  for (const name of variableNames()) {
    const variable: Variable<unknown> = VARIABLES[name];
    process.stdout.write(`${name}=${shown(variable, env[name])}\n    ${variable.description}\n`);
  }
  if (loaded.ok) return 0;
  for (const problem of loaded.problems) process.stderr.write(`berth: ${problem}\n`);
  return 2;
}

function shown(variable: Variable<unknown>, given: string | undefined): string {
  if (given !== undefined && given !== '') return variable.secret ? '(set, not shown)' : given;
  return `(default: ${variable.defaultText ?? String(variable.default)})`;
}
