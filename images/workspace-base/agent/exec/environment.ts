import { isRecord } from '../http/json-body.ts';
import { Problem } from '../problem.ts';

const MAX_ENV_BYTES = 1024 * 1024;

/** Settings of the agent and of who started it. */
const OURS = /^(AGENT|BERTH)_/;

const DEFAULTS = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LANG: 'C.UTF-8',
};

/** What commands see of the agent's own environment: all that the image and the runtime gave it, no settings of ours. */
export function inheritedEnvironment(own: Record<string, string | undefined>): Record<string, string> {
  const inherited = Object.entries(own).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && !OURS.test(entry[0]),
  );
  return { ...DEFAULTS, ...Object.fromEntries(inherited) };
}

/** Checks an `env` of a request; none is an empty one. */
export function parseEnvironment(env: unknown): Record<string, string> {
  if (env === undefined) return {};
  if (!isRecord(env)) throw new Problem('INVALID_REQUEST', 'env must be an object of strings');
  let size = 0;
  const entries = Object.entries(env).map(([name, value]): [string, string] => {
    if (!/^[^=\0]+$/.test(name)) {
      throw new Problem('INVALID_REQUEST', 'a name in env must not be empty nor hold = or NUL');
    }
    if (typeof value !== 'string' || value.includes('\0')) {
      throw new Problem('INVALID_REQUEST', `env.${name} must be a string without NUL`);
    }
    size += Buffer.byteLength(name) + Buffer.byteLength(value) + 2;
    return [name, value];
  });
  if (size > MAX_ENV_BYTES) {
    throw new Problem('INVALID_REQUEST', `env must have at most ${MAX_ENV_BYTES} bytes`);
  }
  return Object.fromEntries(entries);
}
