import { type ApiKey, generateApiKey, hashApiKey } from '../../access/api-key.ts';
import { parseTenantId } from '../../contracts/ids.ts';
import type { Command } from '../command.ts';
import { UsageError } from '../command-spec.ts';
import { keyFile, replaceKeys } from './key-file.ts';

export const command: Command<'keys create'> = async ({ options }, { env, screen }) => {
  const tenant = parseTenantId(options.tenant ?? '');
  if (tenant === undefined)
    throw new UsageError('--tenant wants up to 40 of a-z, 0-9 and -, not beginning with -');
  const scope = options.scope ?? 'use';
  if (scope !== 'use' && scope !== 'admin') throw new UsageError('--scope wants use or admin');
  const key = generateApiKey();
  const entry: ApiKey = { name: options.name ?? tenant, tenant, sha256: hashApiKey(key), scope };
  const file = keyFile(options.file, env);
  if (file === undefined) {
    screen.print(`${key}\n`);
    screen.note(`Its entry for the key file:\n${JSON.stringify([entry], null, 2)}`);
    return 0;
  }
  replaceKeys(file, (keys) => [...keys, entry]);
  screen.print(`${key}\n`);
  screen.note(`Added to ${file} as ${entry.name}. The key is not shown again.`);
  return 0;
};
