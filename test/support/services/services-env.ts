import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { cacheFolder } from '../../../images/builder/cache-folder.ts';

/** Where `npm run services` tells shells and plain vitest runs what it started. */
export const servicesEnvFile = (): string => join(cacheFolder(), 'services.env');

export function writeServicesEnv(env: Readonly<Record<string, string>>): void {
  const lines = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`);
  const partial = `${servicesEnvFile()}.${process.pid}`;
  writeFileSync(partial, lines.join(''));
  renameSync(partial, servicesEnvFile());
}

export function readServicesEnv(): Record<string, string> {
  if (!existsSync(servicesEnvFile())) return {};
  const text = readFileSync(servicesEnvFile(), 'utf8');
  return Object.fromEntries(
    [...text.matchAll(/^export (\w+)='(.*)'$/gm)].map(([, name, value]) => [name, value]),
  );
}

/** Removes the file, unless another `npm run services` has written it since. */
export function removeServicesEnv(env: Readonly<Record<string, string>>): void {
  if (isDeepStrictEqual(readServicesEnv(), { ...env })) rmSync(servicesEnvFile(), { force: true });
}
