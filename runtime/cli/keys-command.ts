import { chmodSync, chownSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type ApiKey, generateApiKey, hashApiKey, parseApiKeys } from '../access/api-key.ts';
import { readApiKeys } from '../access/key-ring.ts';
import { parseTenantId } from '../contracts/ids.ts';
import type { Environment } from './command.ts';

const HELP = `berth keys create --tenant <tenant> [--name <name>] [--scope use|admin] [--file <keys.json>]

Makes an API key. The key is printed once and stored nowhere; its entry, with the SHA-256 only, is added to
the file, or printed when none is given. Point BERTH_API_KEYS_FILE at the file; it is read again when it changes.

  --tenant   whose the key is: up to 40 of a-z, 0-9 and -
  --name     what the log calls it; the tenant unless given
  --scope    use (default) or admin
  --file     file to add it to; made if it is not there. BERTH_API_KEYS_FILE unless given
`;

export async function keysCommand(args: string[], env: Environment): Promise<number> {
  try {
    return create(args, env);
  } catch (error) {
    process.stderr.write(`berth keys: ${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

function create(args: string[], env: Environment): number {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      tenant: { type: 'string' },
      name: { type: 'string' },
      scope: { type: 'string', default: 'use' },
      file: { type: 'string' },
    },
  });
  if (values.help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  if (positionals.length !== 1 || positionals[0] !== 'create')
    throw new Error('say "berth keys create"; --help tells more');
  const tenant = parseTenantId(values.tenant ?? '');
  if (tenant === undefined)
    throw new Error('--tenant wants up to 40 of a-z, 0-9 and -, not beginning with -');
  if (values.scope !== 'use' && values.scope !== 'admin') throw new Error('--scope wants use or admin');
  const key = generateApiKey();
  const entry: ApiKey = { name: values.name ?? tenant, tenant, sha256: hashApiKey(key), scope: values.scope };
  const file = values.file ?? env.BERTH_API_KEYS_FILE;
  if (file === undefined || file === '') {
    process.stdout.write(`${key}\n`);
    process.stderr.write(`Its entry for the key file:\n${JSON.stringify([entry], null, 2)}\n`);
    return 0;
  }
  addTo(file, entry);
  process.stdout.write(`${key}\n`);
  process.stderr.write(`Added to ${file} as ${entry.name}. The key is not shown again.\n`);
  return 0;
}

/** Replaces the file as a whole, so that a reader never sees half of it; its owner and mode stay. */
function addTo(file: string, entry: ApiKey): void {
  const before = statSync(file, { throwIfNoEntry: false });
  const keys = before === undefined ? [] : readApiKeys(file);
  const text = `${JSON.stringify([...keys, entry], null, 2)}\n`;
  parseApiKeys(text); // what the service would refuse must not get there
  const next = `${file}.${process.pid}.new`;
  writeFileSync(next, text, { mode: 0o600, flush: true });
  if (before !== undefined) {
    chmodSync(next, before.mode & 0o777);
    chownSync(next, before.uid, before.gid);
  }
  renameSync(next, file);
}
