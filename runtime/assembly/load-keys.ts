import type { Logger } from 'pino';
import { type ApiKey, generateApiKey, hashApiKey, parseApiKeys } from '../access/api-key.ts';
import { KeyFileWatch, KeyRing, readApiKeys } from '../access/key-ring.ts';
import type { Config } from '../contracts/environment.ts';
import { parseTenantId } from '../contracts/ids.ts';
import type { DataDirectory } from '../lifecycle/data-directory.ts';
import { StartFailure } from '../lifecycle/start-failure.ts';

interface LoadedKeys {
  ring: KeyRing;
  /** The one key there is when none are configured. */
  developmentKey: string | undefined;
  watch: KeyFileWatch | undefined;
}

export function loadKeys(config: Config, data: DataDirectory, log: Logger): LoadedKeys {
  const { BERTH_API_KEYS_FILE: file, BERTH_API_KEYS: inline } = config;
  if (file !== undefined) {
    const ring = new KeyRing(readOrFail(`BERTH_API_KEYS_FILE ${file}`, () => readApiKeys(file)));
    return { ring, developmentKey: undefined, watch: new KeyFileWatch(file, ring, log) };
  }
  if (inline !== undefined) {
    const ring = new KeyRing(readOrFail('BERTH_API_KEYS', () => parseApiKeys(inline)));
    return { ring, developmentKey: undefined, watch: undefined };
  }
  const developmentKey = data.readOrCreate('dev-key', generateApiKey);
  return { ring: new KeyRing([devKey(developmentKey)]), developmentKey, watch: undefined };
}

function devKey(key: string): ApiKey {
  const tenant = parseTenantId('dev');
  if (tenant === undefined) throw new Error('dev is a tenant');
  return { name: 'development', tenant, sha256: hashApiKey(key), scope: 'admin' };
}

function readOrFail(source: string, read: () => ApiKey[]): ApiKey[] {
  try {
    return read();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartFailure(`${source} can't be used: ${why}. "berth keys create" shows the form`, 2, error);
  }
}
