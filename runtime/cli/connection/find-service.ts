import { join } from 'node:path';
import type { AskingOptions } from '../asking-options.ts';
import { type Environment, UsageError } from '../command-spec.ts';

export interface FoundService {
  url: string;
  /** Whether it is on this machine. */
  local: boolean;
  /** None was found. */
  key: string | undefined;
  /** Where the key comes from, or was looked for. */
  keyFrom: string;
}

/** Where the service is, and the key for it. `read` gives a file's text, or undefined where there is none. */
export function findService(
  options: AskingOptions,
  env: Environment,
  read: (path: string) => string | undefined,
): FoundService {
  const named = options.url ?? given(env.BERTH_URL);
  const url = named ?? `http://127.0.0.1:${given(env.PORT) ?? '7420'}`;
  const host = hostOf(url);
  if (host === undefined) {
    const who = options.url !== undefined ? '--url' : named !== undefined ? 'BERTH_URL' : 'PORT';
    throw new UsageError(`${who} wants an address like http://127.0.0.1:7420`);
  }
  const local = /^(127(\.\d+){3}|\[::1\]|(.+\.)?localhost)$/.test(host);
  return { url, local, ...findKey(options['key-file'], env, local, read) };
}

function findKey(
  file: string | undefined,
  env: Environment,
  local: boolean,
  read: (path: string) => string | undefined,
): Pick<FoundService, 'key' | 'keyFrom'> {
  if (file !== undefined) {
    const key = read(file)?.trim();
    if (key === undefined) throw new UsageError('--key-file: there is no such file');
    if (!/^[\x21-\x7e]+$/.test(key))
      throw new UsageError('--key-file wants a file with an API key, and no more');
    return { key, keyFrom: 'that of --key-file' };
  }
  for (const name of ['BERTH_API_KEY', 'BERTH_KEY']) {
    const key = given(env[name]);
    if (key === undefined) continue;
    if (!/^[\x21-\x7e]+$/.test(key)) throw new UsageError(`${name} holds no API key`);
    return { key, keyFrom: `that of ${name}` };
  }
  const development = join(given(env.BERTH_DATA_DIR) ?? '.berth', 'dev-key');
  // A key that was made for this machine goes nowhere else.
  const key = local ? given(read(development)?.trim()) : undefined;
  return { key, keyFrom: `the development key, ${development}` };
}

/** Of an address that names a service, and nothing more. */
function hostOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, hostname, search, hash, username, password } = new URL(url);
  const fit = /^https?:$/.test(protocol) && `${search}${hash}${username}${password}` === '';
  return fit ? hostname : undefined;
}

function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
