import type { Command } from '../command.ts';
import { UsageError } from '../command-spec.ts';
import { shown } from '../terminal/escape.ts';
import { keysOf, namedKeyFile, replaceKeys } from './key-file.ts';

/** Fewer might be a name. */
const LEAST_DIGITS = 8;

export const command: Command<'keys revoke'> = async (given, { env, screen }) => {
  const file = namedKeyFile(given.options.file, env);
  const meant = given.arguments.key;
  const digits = meant.length >= LEAST_DIGITS ? meant : undefined;
  const found = keysOf(file).filter(
    ({ name, sha256 }) => name === meant || (digits !== undefined && sha256.startsWith(digits)),
  );
  const [key, another] = found;
  if (key === undefined) throw new UsageError(`${file} has no key ${shown(meant)}; berth keys ls lists them`);
  if (another !== undefined)
    throw new UsageError(
      `${found.length} keys are meant by ${shown(meant)}; give the beginning of its SHA-256`,
    );
  replaceKeys(file, (keys) => keys.filter(({ sha256 }) => sha256 !== key.sha256));
  screen.note(`Took back ${shown(key.name)} of ${key.tenant}.`);
  return 0;
};
