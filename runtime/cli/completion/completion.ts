import type { Command } from '../command.ts';
import { UsageError } from '../command-spec.ts';
import { openService } from '../connection/open-service.ts';
import { bashScript } from './bash-script.ts';
import { fishScript } from './fish-script.ts';
import { idsOf, isKind } from './ids-of.ts';
import { zshScript } from './zsh-script.ts';

const SCRIPTS: Readonly<Record<string, () => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

export const command: Command<'completion'> = async (given, { env, screen }) => {
  const { shell, kind } = given.arguments;
  if (shell === 'ids') {
    if (kind === undefined || !isKind(kind))
      throw new UsageError('ids wants one of conversation, workspace, function, container');
    const ids = await idsOf(await openService(given.options, env, { retries: 0 }), kind);
    screen.print(ids.map((id) => `${id}\n`).join(''));
    return 0;
  }
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined || kind !== undefined) throw new UsageError('say bash, zsh or fish');
  screen.print(script());
  return 0;
};
