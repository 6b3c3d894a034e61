import { chmodSync, chownSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { type ApiKey, parseApiKeys } from '../../access/api-key.ts';
import { readApiKeys } from '../../access/key-ring.ts';
import { type Environment, UsageError } from '../command-spec.ts';

/** The file that is meant, if any is. */
export function keyFile(given: string | undefined, env: Environment): string | undefined {
  return given || env.BERTH_API_KEYS_FILE || undefined;
}

export function namedKeyFile(given: string | undefined, env: Environment): string {
  const file = keyFile(given, env);
  if (file === undefined) throw new UsageError('name the file of keys with --file, or BERTH_API_KEYS_FILE');
  return file;
}

/** What is no such file is told as what was typed wrongly. */
export function keysOf(file: string): ApiKey[] {
  try {
    return readApiKeys(file);
  } catch (error) {
    throw new UsageError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Replaces the file as a whole, so that a reader never sees half of it; its owner and mode stay. */
export function replaceKeys(file: string, change: (keys: readonly ApiKey[]) => ApiKey[]): void {
  const before = statSync(file, { throwIfNoEntry: false });
  const keys = before === undefined ? [] : keysOf(file);
  const text = `${JSON.stringify(change(keys), null, 2)}\n`;
  try {
    parseApiKeys(text); // what the service would refuse must not get there
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
  const next = `${file}.${process.pid}.new`;
  writeFileSync(next, text, { mode: 0o600, flush: true });
  if (before !== undefined) {
    chmodSync(next, before.mode & 0o777);
    chownSync(next, before.uid, before.gid);
  }
  renameSync(next, file);
}
