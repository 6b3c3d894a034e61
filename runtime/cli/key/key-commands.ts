import { JSON_ONLY } from '../asking-options.ts';
import type { CommandSpec } from '../command-spec.ts';

const FILE = {
  value: 'keys.json',
  completes: 'file',
  says: 'the file of keys; else BERTH_API_KEYS_FILE',
} as const;

export const keyCommands = {
  'keys create': {
    group: 'Service',
    says: 'make an API key',
    arguments: {},
    options: {
      tenant: { value: 'tenant', says: 'whose the key is: up to 40 of a-z, 0-9 and -' },
      name: { value: 'name', says: 'what the log calls it; the tenant unless given' },
      scope: { value: 'scope', completes: ['use', 'admin'], says: 'use, unless admin is given' },
      file: { ...FILE, says: 'file to add it to, made if it is not there; else BERTH_API_KEYS_FILE' },
    },
    notes: `The key is printed once and stored nowhere; its entry, with the SHA-256 only, is added to
the file, or printed when none is given. Point BERTH_API_KEYS_FILE at the file; it is read again when it changes.`,
    examples: [
      ['berth keys create --tenant acme --file keys.json', 'a key for those who use the service'],
      ['berth keys create --tenant ops --scope admin --file keys.json', 'one for operators'],
    ],
  },
  'keys ls': {
    group: 'Service',
    says: 'list the keys of a file',
    arguments: {},
    options: { file: FILE, ...JSON_ONLY },
    examples: [
      ['berth keys ls --file keys.json', 'names, tenants and scopes; the keys themselves are nowhere'],
    ],
  },
  'keys revoke': {
    group: 'Service',
    says: 'take a key back',
    arguments: { key: {} },
    options: { file: FILE },
    notes: `The key is its name, or the beginning of its SHA-256 as berth keys ls shows it. A service that reads the file
sees it at once, and ends what is being done with the key.`,
    examples: [['berth keys revoke acme --file keys.json', 'the key of this name']],
  },
} as const satisfies Record<string, CommandSpec>;
