import type { Command } from '../command.ts';
import { keysOf, namedKeyFile } from './key-file.ts';

const SHOWN_DIGITS = 12;

export const command: Command<'keys ls'> = async ({ options }, { env, screen }) => {
  const keys = keysOf(namedKeyFile(options.file, env));
  if (options.json) {
    screen.json({ keys });
    return 0;
  }
  screen.table(
    [
      { title: 'NAME', shrinks: true },
      { title: 'TENANT' },
      { title: 'SCOPE' },
      { title: 'SHA-256' },
      { title: 'LIMITS' },
    ],
    keys.map(({ name, tenant, scope, sha256, limits = {} }) => [
      name,
      tenant,
      { text: scope, style: scope === 'admin' ? 'yellow' : undefined },
      sha256.slice(0, SHOWN_DIGITS),
      Object.entries(limits)
        .map(([what, most]) => `${most} ${what}`)
        .join(', ') || '-',
    ]),
  );
  return 0;
};
