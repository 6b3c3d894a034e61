import { type Config, VARIABLES, type VariableName } from './environment.ts';
import type { BackendName, Variable } from './variable.ts';

export type LoadedConfig = { ok: true; config: Config } | { ok: false; problems: string[] };

/** Parses the environment. Reports every problem at once; a secret's value is in none of them. */
export function loadConfig(env: Readonly<Record<string, string | undefined>>): LoadedConfig {
  const problems: string[] = [];
  const values: Partial<Record<VariableName, unknown>> = {};
  for (const name of variableNames()) {
    const variable: Variable<unknown> = VARIABLES[name];
    const text = env[name];
    if (text === undefined || text === '') {
      values[name] = variable.default;
      continue;
    }
    const value = variable.parse(text);
    if (value === undefined) problems.push(`${name} wants ${variable.wants}${shown(variable, text)}`);
    problems.push(...(variable.faults?.(text) ?? []).map((fault) => `${name}: ${fault}`));
    values[name] = value ?? variable.default;
  }
  const config = values as Config; // every name was filled from its own row above
  problems.push(...contradictions(config));
  return problems.length === 0 ? { ok: true, config } : { ok: false, problems };
}

export function variableNames(): VariableName[] {
  return Object.keys(VARIABLES) as VariableName[]; // the table's own keys
}

function shown(variable: Variable<unknown>, text: string): string {
  if (variable.secret) return '; its value is a secret and not shown';
  return `, but is ${JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text)}`;
}

function contradictions(config: Config): string[] {
  return [
    ...mixedStores(config),
    ...sharedIdentity(config),
    ...keySources(config),
    ...poolSizes(config),
    ...functionSettings(config),
    ...ecsSettings(config),
    ...ecsWorkspaces(config),
    ...egressMode(config),
    ...signing(config),
    ...egressService(config),
    ...workspaceDomain(config),
    ...(config.CONTAINER_MANAGER_TYPE === 'process' ? processBackendRefusals(config) : []),
  ];
}

function mixedStores(config: Config): string[] {
  const stores = ['REDIS_URL', 'DATABASE_URL', 'OBJECT_STORE_URL'] as const;
  const shared = stores.filter((name) => config[name] !== undefined);
  if (shared.length === 0 || shared.length === stores.length || config.BERTH_SINGLE_INSTANCE) return [];
  const local = stores.filter((name) => config[name] === undefined);
  return [
    `${shared.join(' and ')} is shared but ${local.join(' and ')} is local: set all three, or none, ` +
      'or BERTH_SINGLE_INSTANCE=1 if only one instance will ever run',
  ];
}

function sharedIdentity(config: Config): string[] {
  if (config.REDIS_URL === undefined) return [];
  return (['BERTH_INSTALLATION', 'BERTH_SECRET'] as const)
    .filter((name) => config[name] === undefined)
    .map(
      (name) =>
        `${name} is required when REDIS_URL is set, the same for every instance: it wants ${VARIABLES[name].wants}`,
    );
}

function keySources(config: Config): string[] {
  if (config.BERTH_API_KEYS !== undefined && config.BERTH_API_KEYS_FILE !== undefined) {
    return ['BERTH_API_KEYS and BERTH_API_KEYS_FILE are both set: use one'];
  }
  if (!hasConfiguredKeys(config) && !isLoopback(config.HOST)) {
    return [
      `HOST is ${config.HOST}, but no keys are configured and the development key is for loopback only: ` +
        'set BERTH_API_KEYS_FILE (berth keys create makes one) or HOST=127.0.0.1',
    ];
  }
  return [];
}

function poolSizes(config: Config): string[] {
  return ['', 'ECS_'].flatMap((prefix) => {
    // The casts: both names are in the table, with either prefix.
    const [least, most] = [`${prefix}WARM_POOL_MIN_SIZE`, `${prefix}WARM_POOL_MAX_SIZE`] as [
      'WARM_POOL_MIN_SIZE',
      'WARM_POOL_MAX_SIZE',
    ];
    if (config[least] <= config[most]) return [];
    return [
      `${least} is ${config[least]}, more than ${most}, which is ${config[most]}: set both (0 and 0: no pool)`,
    ];
  });
}

/** A default that no function could have would refuse every one that does not say. */
function functionSettings(config: Config): string[] {
  const pairs = [
    ['DEFAULT_MIN_CAPACITY', 'DEFAULT_MAX_CAPACITY'],
    ['DEFAULT_MAX_CAPACITY', 'MAX_FUNCTION_WORKERS'],
    ['FUNCTION_CPUS', 'MAX_FUNCTION_CPUS'],
    ['FUNCTION_MEMORY_MB', 'MAX_FUNCTION_MEMORY_MB'],
  ] as const;
  return pairs.flatMap(([less, more]) => {
    const [least, most] = [config[less], config[more]];
    return most === undefined || least <= most
      ? []
      : [`${less} is ${least}, more than ${more}, which is ${most}: set both`];
  });
}

function ecsSettings(config: Config): string[] {
  if (config.CONTAINER_MANAGER_TYPE !== 'ecs') return [];
  return (['ECS_CLUSTER', 'ECS_TASK_DEFINITION', 'ECS_SUBNETS', 'ECS_SECURITY_GROUPS'] as const)
    .filter((name) => config[name] === undefined || config[name].length === 0)
    .map((name) => `${name} is required with CONTAINER_MANAGER_TYPE=ecs: it wants ${VARIABLES[name].wants}`);
}

function ecsWorkspaces({
  ECS_EFS_FILE_SYSTEM: files,
  ECS_WORKSPACE_TASK_DEFINITION: definition,
}: Config): string[] {
  if ((files === undefined) === (definition === undefined)) return [];
  return ['ECS_EFS_FILE_SYSTEM and ECS_WORKSPACE_TASK_DEFINITION go together: set both, or none'];
}

/** A proxy beside the runtime is out of the tasks' reach; containers without a network have none beside them. */
function egressMode({ CONTAINER_MANAGER_TYPE: backend, EGRESS_MODE: mode }: Config): string[] {
  if (backend === 'ecs' && mode === 'host')
    return ['EGRESS_MODE=host does not work with CONTAINER_MANAGER_TYPE=ecs: use sidecar or service'];
  if (backend !== 'ecs' && mode === 'sidecar')
    return ['EGRESS_MODE=sidecar works with CONTAINER_MANAGER_TYPE=ecs only: use host or service'];
  return [];
}

function egressService(config: Config): string[] {
  if (config.EGRESS_MODE !== 'service') return [];
  return (['EGRESS_PROXY_URL', 'EGRESS_PROXY_ADMIN_KEY'] as const)
    .filter((name) => config[name] === undefined)
    .map((name) => `${name} is required with EGRESS_MODE=service: it wants ${VARIABLES[name].wants}`);
}

function signing({ BEDROCK_REGION: region, BEDROCK_ROLE_ARN: role, BEDROCK_API_URL: url }: Config): string[] {
  if ((region === undefined) !== (role === undefined)) {
    return ['BEDROCK_REGION and BEDROCK_ROLE_ARN go together: set both, or none'];
  }
  return region === undefined && url !== undefined ? ['BEDROCK_API_URL is set without BEDROCK_REGION'] : [];
}

/** A host below the domain is a workspace's: the API would be out of reach there. */
function workspaceDomain({ WORKSPACE_DOMAIN: domain, PUBLIC_URL: url }: Config): string[] {
  const name = domain?.replace(/:\d+$/, '');
  const host = URL.parse(url ?? '')?.hostname;
  if (name === undefined || host === undefined || !`.${host}`.endsWith(`.${name}`)) return [];
  return [`PUBLIC_URL is below WORKSPACE_DOMAIN, which is ${domain}: workspaces want a domain of their own`];
}

export function hasConfiguredKeys(config: Config): boolean {
  return config.BERTH_API_KEYS !== undefined || config.BERTH_API_KEYS_FILE !== undefined;
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Why the `process` backend, which shares the host's kernel and files, must not serve this configuration. */
export function processBackendRefusals(config: Config): string[] {
  const refusals: string[] = [];
  if (hasConfiguredKeys(config)) refusals.push('configured keys (other people may hold them)');
  if (!isLoopback(config.HOST)) refusals.push(`HOST=${config.HOST} (it serves loopback only)`);
  if (config.NODE_ENV === 'production') refusals.push('NODE_ENV=production');
  return refusals.map(
    (what) => `The process backend is for development and refuses ${what}: use CONTAINER_MANAGER_TYPE=docker`,
  );
}

export function maxContainers(config: Config, backend: BackendName): number {
  return config.MAX_CONTAINERS ?? { docker: 100, process: 20, ecs: 1000 }[backend];
}

export function maxFunctionWorkers(
  config: Pick<Config, 'MAX_FUNCTION_WORKERS'>,
  backend: BackendName,
): number {
  return config.MAX_FUNCTION_WORKERS ?? { docker: 50, process: 20, ecs: 200 }[backend];
}

export function orphanGraceSeconds(config: Config, backend: BackendName): number {
  return config.ORPHAN_GRACE_PERIOD_SECONDS ?? (backend === 'ecs' ? 150 : 60);
}

export function warmPoolSizes(
  config: Config,
  backend: BackendName,
): { min: number; max: number; parallel: number } {
  const parallel = config.WARM_POOL_PARALLEL_CREATES;
  return backend === 'ecs'
    ? { min: config.ECS_WARM_POOL_MIN_SIZE, max: config.ECS_WARM_POOL_MAX_SIZE, parallel: parallel ?? 50 }
    : { min: config.WARM_POOL_MIN_SIZE, max: config.WARM_POOL_MAX_SIZE, parallel: parallel ?? 4 };
}
