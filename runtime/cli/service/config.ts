import { VARIABLES } from '../../contracts/environment.ts';
import { loadConfig, variableNames } from '../../contracts/load-config.ts';
import type { Variable } from '../../contracts/variable.ts';
import type { Command } from '../command.ts';

export const command: Command<'config'> = async ({ options }, { env, screen }) => {
  const loaded = loadConfig(env);
  const settings = variableNames().map((name) => {
    const variable: Variable<unknown> = VARIABLES[name];
    return { name, variable, text: env[name] === '' ? undefined : env[name] };
  });
  if (options.json)
    screen.json(Object.fromEntries(settings.map((setting) => [setting.name, entry(setting)])));
  else
    for (const { name, variable, text } of settings)
      screen.print(`${name}=${shown(variable, text)}\n    ${variable.description}\n`);
  if (loaded.ok) return 0;
  for (const problem of loaded.problems) screen.note(`berth: ${problem}`);
  return 2;
};

interface Setting {
  variable: Variable<unknown>;
  /** What the environment says, if it says anything. */
  text: string | undefined;
}

function entry({ variable, text }: Setting): object {
  const { secret, description } = variable;
  const value = text === undefined ? defaultText(variable) : secret ? null : text;
  return {
    value,
    from: text === undefined ? 'default' : 'environment',
    secret: secret === true,
    description,
  };
}

function shown(variable: Variable<unknown>, text: string | undefined): string {
  if (text !== undefined) return variable.secret ? '(set, not shown)' : text;
  return `(default: ${defaultText(variable)})`;
}

function defaultText(variable: Variable<unknown>): string {
  return variable.defaultText ?? String(variable.default);
}
