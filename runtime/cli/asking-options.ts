import type { Option } from './command-spec.ts';

/** Of every command that asks a service. A key is never among them: other users of the machine see command lines. */
export const ASKING = {
  json: { says: 'answer for programs: JSON' },
  url: { value: 'address', says: 'where the service is; else BERTH_URL, else http://127.0.0.1:7420' },
  'key-file': {
    value: 'file',
    completes: 'file',
    says: 'file with the API key; else BERTH_API_KEY, else the development key of a local service',
  },
} as const satisfies Record<string, Option>;

export interface AskingOptions {
  url: string | undefined;
  'key-file': string | undefined;
}

export const JSON_ONLY = { json: ASKING.json } as const satisfies Record<string, Option>;

/** Of what runs something in a conversation. */
export const RUNNING = {
  timeout: { value: 'time', short: 't', says: 'end it after this long: 90, 90s, 5m, 1h' },
  env: {
    value: 'NAME=value',
    short: 'e',
    repeated: true,
    says: 'a variable of its environment; NAME alone takes the value from here',
  },
  cwd: { value: 'folder', says: 'folder to run in; /workspace unless given' },
} as const satisfies Record<string, Option>;
