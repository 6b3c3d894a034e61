import { describe, expect, it } from 'vitest';
import {
  type LoadedConfig,
  loadConfig,
  maxContainers,
  maxFunctionWorkers,
} from '../../../runtime/contracts/load-config.ts';

const SECRET = 'ab'.repeat(32);
const SHARED = { BERTH_INSTALLATION: 'prod', BERTH_SECRET: SECRET };
const STORES = {
  REDIS_URL: 'redis://r',
  DATABASE_URL: 'postgres://d',
  OBJECT_STORE_URL: 's3://bucket',
} as const;
const KEYS = { BERTH_API_KEYS: '[]' };

function problems(env: Record<string, string>): string[] {
  const loaded = loadConfig(env);
  return loaded.ok ? [] : loaded.problems;
}

function config(env: Record<string, string>): Extract<LoadedConfig, { ok: true }>['config'] {
  const loaded = loadConfig(env);
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
}

describe('loadConfig', () => {
  it('fills every default from an empty environment', () => {
    expect(config({})).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 7420,
      LOG_LEVEL: 'info',
      MAX_CONTAINERS: undefined,
    });
  });

  it('takes an empty value for none', () => {
    expect(config({ PORT: '', REDIS_URL: '' })).toMatchObject({ PORT: 7420, REDIS_URL: undefined });
  });

  it('tells every problem at once, with the name and what it wants', () => {
    const found = problems({
      PORT: '70000',
      GC_INTERVAL_SECONDS: 'soon',
      CONTAINER_MANAGER_TYPE: 'lxc',
      LOG_LEVEL: 'loud',
    });
    expect(found).toHaveLength(4);
    expect(found).toContain('PORT wants a whole number from 0 to 65535, but is "70000"');
    expect(found).toContain('CONTAINER_MANAGER_TYPE wants one of docker, process, ecs, but is "lxc"');
  });

  it('never shows the value of a secret', () => {
    const found = problems({
      BERTH_SECRET: 'hunter2',
      REDIS_URL: 'http://user:hunter2@r',
      BERTH_SINGLE_INSTANCE: '1',
    });
    expect(found.join('\n')).toMatch(/BERTH_SECRET wants 64 hex digits/);
    expect(found.join('\n')).toMatch(/REDIS_URL wants an address with redis:\/\/ or rediss:\/\//);
    expect(found.join('\n')).not.toContain('hunter2');
  });

  it.each([
    ['1.5', 1.5],
    ['30', 30],
  ])('takes %s for seconds', (text, value) => {
    expect(config({ CONTAINER_TTL_SECONDS: text }).CONTAINER_TTL_SECONDS).toBe(value);
  });

  it.each(['10.0.0.0/8', '10.1.2.3, ::1', 'loopback,fd00::/8'])('takes %s for proxies', (text) => {
    expect(problems({ TRUSTED_PROXIES: text })).toEqual([]);
  });

  it.each(['10.0.0.0/99', '999.1.1.1', 'proxy.example', '::1/129', '10.0.0.0/8/8'])(
    'refuses %s for proxies',
    (text) => {
      expect(problems({ TRUSTED_PROXIES: text })).toHaveLength(1);
    },
  );

  it('refuses what is no flag, whatever objects know of it', () => {
    expect(problems({ BERTH_ALLOW_UNISOLATED: 'constructor' })).toHaveLength(1);
  });

  it('refuses durations that no timer can hold', () => {
    expect(problems({ GC_INTERVAL_SECONDS: '3000000', EXECUTION_TIMEOUT_SECONDS: '86401' })).toHaveLength(2);
  });

  it.each(['-1', '1e3', '0x10', '1s', '∞'])('refuses %s for seconds', (text) => {
    expect(problems({ CONTAINER_TTL_SECONDS: text })).toHaveLength(1);
  });
});

describe('shared and local stores', () => {
  const names = Object.keys(STORES) as (keyof typeof STORES)[];
  const mixtures = Array.from({ length: 8 }, (_, bits) =>
    names.filter((_name, index) => (bits >> index) & 1),
  );

  it.each(mixtures.map((set) => [set.join(' + ') || 'none', set] as const))('shared: %s', (_title, set) => {
    const env = { ...SHARED, ...Object.fromEntries(set.map((name) => [name, STORES[name]])) };
    const pure = set.length === 0 || set.length === 3;
    expect(problems(env)).toHaveLength(pure ? 0 : 1);
    if (!pure) expect(problems(env)[0]).toMatch(/set all three, or none, or BERTH_SINGLE_INSTANCE=1/);
    expect(problems({ ...env, BERTH_SINGLE_INSTANCE: '1' })).toEqual([]);
  });

  it('wants an installation and a secret as soon as Redis is shared', () => {
    const found = problems(STORES);
    expect(found).toHaveLength(2);
    expect(found[0]).toMatch(/^BERTH_INSTALLATION is required when REDIS_URL is set/);
    expect(found[1]).toMatch(/^BERTH_SECRET is required when REDIS_URL is set/);
  });
});

describe('keys and hosts', () => {
  it('refuses to listen beyond loopback with the development key', () => {
    expect(problems({ HOST: '0.0.0.0' })[0]).toMatch(
      /no keys are configured and the development key is for loopback only/,
    );
    expect(problems({ HOST: '0.0.0.0', ...KEYS })).toEqual([]);
    expect(problems({ HOST: '127.0.0.53' })).toEqual([]);
    expect(problems({ HOST: '127.0.0.1.evil.example' })).toHaveLength(1);
  });

  it('refuses two sources of keys', () => {
    expect(problems({ ...KEYS, BERTH_API_KEYS_FILE: 'keys.json' })).toHaveLength(1);
  });

  it('refuses the process backend with keys, another host, or in production, each told', () => {
    const found = problems({
      CONTAINER_MANAGER_TYPE: 'process',
      HOST: '0.0.0.0',
      NODE_ENV: 'production',
      ...KEYS,
    });
    expect(found).toHaveLength(3);
    expect(found.every((problem) => problem.includes('CONTAINER_MANAGER_TYPE=docker'))).toBe(true);
  });
});

describe('maxContainers', () => {
  it('follows the backend unless it is set', () => {
    expect(maxContainers(config({}), 'docker')).toBe(100);
    expect(maxContainers(config({}), 'process')).toBe(20);
    expect(maxContainers(config({ MAX_CONTAINERS: '7' }), 'docker')).toBe(7);
  });
});

describe('maxFunctionWorkers', () => {
  it('follows the backend unless it is set', () => {
    expect(maxFunctionWorkers(config({}), 'docker')).toBe(50);
    expect(maxFunctionWorkers(config({}), 'process')).toBe(20);
    expect(maxFunctionWorkers(config({}), 'ecs')).toBe(200);
    expect(maxFunctionWorkers(config({ MAX_FUNCTION_WORKERS: '7' }), 'ecs')).toBe(7);
  });
});

describe('what functions have by default', () => {
  it.each([
    [{ DEFAULT_MIN_CAPACITY: '2' }, 'DEFAULT_MIN_CAPACITY is 2, more than DEFAULT_MAX_CAPACITY, which is 1'],
    [
      { DEFAULT_MAX_CAPACITY: '6', MAX_FUNCTION_WORKERS: '5' },
      'DEFAULT_MAX_CAPACITY is 6, more than MAX_FUNCTION_WORKERS, which is 5',
    ],
    [{ FUNCTION_CPUS: '4.5' }, 'FUNCTION_CPUS is 4.5, more than MAX_FUNCTION_CPUS, which is 4'],
    [
      { MAX_FUNCTION_MEMORY_MB: '256' },
      'FUNCTION_MEMORY_MB is 512, more than MAX_FUNCTION_MEMORY_MB, which is 256',
    ],
  ])('is within what they may ask for: %j', (env: Record<string, string>, problem) => {
    expect(problems(env)).toEqual([`${problem}: set both`]);
  });

  it('is taken as it is said', () => {
    const said = { DEFAULT_MAX_CAPACITY: '5', DEFAULT_MIN_CAPACITY: '5', MAX_FUNCTION_WORKERS: '5' };
    const more = { POOL_ACQUIRE_TIMEOUT: '30.0', ENABLE_CONTAINER_PAUSE: '1' };
    expect(config({ ...said, ...more })).toMatchObject({
      DEFAULT_MAX_CAPACITY: 5,
      DEFAULT_MIN_CAPACITY: 5,
      POOL_ACQUIRE_TIMEOUT: 30,
      ENABLE_CONTAINER_PAUSE: true,
    });
  });

  it.each([
    { DEFAULT_MAX_CAPACITY: '0' },
    { POOL_ACQUIRE_TIMEOUT: '901' },
    { GATEWAY_IDLE_TIMEOUT_SECONDS: '0' },
    { HEARTBEAT_INTERVAL: '0' },
    { ENABLE_CONTAINER_PAUSE: 'yes' },
    { FUNCTION_CPUS: '0' },
    { MAX_FUNCTION_WORKERS: '0' },
  ])('is refused where it can be nothing: %j', (env: Record<string, string>) => {
    expect(problems(env)).toHaveLength(1);
  });
});
