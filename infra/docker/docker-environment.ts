import { all, interpolate, type Output, secret } from '@pulumi/pulumi';
import type { PlatformArgs } from '../platform-args.ts';
import { DEFAULT, type RuntimeEnvironment } from '../runtime-environment.ts';

interface Given {
  args: PlatformArgs;
  installation: string;
  workspaceImage: Output<string>;
  /** Those that users name, by their plain names. */
  ownImages: Record<string, Output<string>>;
  socketFolder: Output<string>;
  redisUrl: Output<string>;
  databaseUrl: Output<string>;
  installationSecret: Output<string>;
  apiKeys: Output<string>;
  /** Of the egress service, where there is one. */
  egress: { url: Output<string>; adminKey: Output<string> } | undefined;
  port: number;
  url: string;
}

/** Browsers find every name below `localhost` on the machine that they are on. */
const WORKSPACE_DOMAIN = 'workspaces.localhost';

const text = (value: number | undefined) => (value === undefined ? DEFAULT : String(value));

/** The runtime beside the engine whose containers it makes. Secrets are the stack's, encrypted in its state. */
export function dockerEnvironment(given: Given): RuntimeEnvironment<Output<string>> {
  const { args, egress } = given;
  return {
    CONTAINER_MANAGER_TYPE: 'docker',
    HOST: '0.0.0.0',
    PORT: String(given.port),
    PUBLIC_URL: given.url,
    TRUSTED_PROXIES: DEFAULT,
    BERTH_API_KEYS_FILE: DEFAULT,
    BERTH_API_KEYS: given.apiKeys,
    BERTH_DATA_DIR: DEFAULT, // the image's own folder, on a volume
    BERTH_INSTALLATION: given.installation,
    BERTH_SECRET: given.installationSecret,
    REDIS_URL: given.redisUrl,
    REDIS_KEY_PREFIX: DEFAULT,
    DATABASE_URL: given.databaseUrl,
    OBJECT_STORE_URL: DEFAULT, // a folder in the data directory
    BERTH_SINGLE_INSTANCE: '1',
    BERTH_ALLOW_UNISOLATED: DEFAULT,
    ECS_CLUSTER: DEFAULT,
    ECS_EFS_FILE_SYSTEM: DEFAULT,
    ECS_WORKSPACE_TASK_DEFINITION: DEFAULT,
    ECS_WORKSPACE_SECURITY_GROUPS: DEFAULT,
    ECS_TASK_DEFINITION: DEFAULT,
    ECS_SUBNETS: DEFAULT,
    ECS_SECURITY_GROUPS: DEFAULT,
    ECS_CAPACITY_PROVIDER: DEFAULT,
    ECS_AGENT_PORT: DEFAULT,
    ECS_PROXY_ADMIN_PORT: DEFAULT,
    ECS_INSTANCES: DEFAULT,
    ECS_RUN_TASK_CONCURRENCY: DEFAULT,
    ECS_POLL_SECONDS: DEFAULT,
    ECS_ADDRESS_SECONDS: DEFAULT,
    ECS_WARM_POOL_MIN_SIZE: DEFAULT,
    ECS_WARM_POOL_MAX_SIZE: DEFAULT,
    ECS_LOG_GROUP: DEFAULT,
    ECS_FUNCTION_TASK_DEFINITIONS: DEFAULT,
    DOCKER_HOST: DEFAULT, // the engine's socket, where the runtime looks for it
    DOCKER_APPARMOR_PROFILE: DEFAULT,
    WORKSPACE_IMAGE: given.workspaceImage,
    DEFAULT_WORKSPACE_IMAGE_REF: DEFAULT, // the editor of OWN_IMAGES
    ALLOWED_IMAGES: DEFAULT,
    OWN_IMAGES: named(given.ownImages),
    BASE_IMAGE: DEFAULT,
    WORKSPACE_SOCKET_BASE_PATH: given.socketFolder,
    MAX_CONTAINERS: text(args.maxContainers),
    WARM_POOL_MIN_SIZE: text(args.warmPoolMin),
    WARM_POOL_MAX_SIZE: text(args.warmPoolMax),
    WARM_POOL_TTL_SECONDS: DEFAULT,
    WARM_POOL_PARALLEL_CREATES: DEFAULT,
    CONTAINER_TTL_SECONDS: DEFAULT,
    CONTAINER_MAX_LIFETIME_SECONDS: DEFAULT,
    EXECUTION_TIMEOUT_SECONDS: DEFAULT,
    AGENT_COMMAND: DEFAULT,
    EGRESS_MODE: egress === undefined ? 'host' : 'service',
    EGRESS_PROXY_URL: egress?.url ?? DEFAULT,
    EGRESS_PROXY_ADMIN_URL: DEFAULT,
    EGRESS_PROXY_ADMIN_KEY: egress?.adminKey ?? DEFAULT,
    EGRESS_ALLOWED_DOMAINS: args.allowedDomains?.join(',') ?? DEFAULT,
    EGRESS_CEILING_DOMAINS: DEFAULT,
    ANTHROPIC_API_KEY: args.anthropicApiKey === undefined ? DEFAULT : secret(args.anthropicApiKey),
    ANTHROPIC_API_URL: DEFAULT,
    BEDROCK_REGION: DEFAULT, // it is refused: there is no role to assume on a laptop
    BEDROCK_ROLE_ARN: DEFAULT,
    BEDROCK_API_URL: DEFAULT,
    SYNC_EXCLUDE: DEFAULT,
    MAX_RUNNING_WORKSPACES: DEFAULT,
    MAX_RUNNING_WORKSPACES_PER_KEY: DEFAULT,
    WORKSPACE_DOMAIN: args.workspaceDomain ?? WORKSPACE_DOMAIN,
    WORKSPACE_CPUS: DEFAULT,
    WORKSPACE_MEMORY_MB: DEFAULT,
    WORKSPACE_CPUS_RESERVED: DEFAULT,
    WORKSPACE_MEMORY_MB_RESERVED: DEFAULT,
    WORKSPACE_PARALLEL_OPERATIONS: DEFAULT,
    WORKSPACE_OBSERVE_SECONDS: DEFAULT,
    RECONCILE_INTERVAL_SECONDS: DEFAULT,
    TTL_MANAGER_INTERVAL: DEFAULT,
    DEFAULT_STANDBY_TTL: DEFAULT,
    IDLE_TIMER_SECONDS: DEFAULT,
    DEFAULT_ARCHIVE_TTL: DEFAULT,
    ARCHIVE_GC_INTERVAL_SECONDS: DEFAULT,
    STARTUP_TIMEOUT_SECONDS: DEFAULT,
    HEALTH_CHECK_TIMEOUT_SECONDS: DEFAULT,
    MAX_FUNCTION_WORKERS: DEFAULT,
    DEFAULT_MAX_CAPACITY: DEFAULT,
    DEFAULT_MIN_CAPACITY: DEFAULT,
    POOL_ACQUIRE_TIMEOUT: DEFAULT,
    GATEWAY_IDLE_TIMEOUT_SECONDS: DEFAULT,
    HEARTBEAT_INTERVAL: DEFAULT,
    ENABLE_CONTAINER_PAUSE: DEFAULT,
    PAUSE_IDLE_SECONDS: DEFAULT,
    FUNCTION_CPUS: DEFAULT,
    FUNCTION_MEMORY_MB: DEFAULT,
    MAX_FUNCTION_CPUS: DEFAULT,
    MAX_FUNCTION_MEMORY_MB: DEFAULT,
    GRACE_PERIOD_SECONDS: DEFAULT,
    HEALTH_CHECK_INTERVAL_SECONDS: DEFAULT,
    GC_INTERVAL_SECONDS: DEFAULT,
    ORPHAN_GRACE_PERIOD_SECONDS: DEFAULT,
    LOG_LEVEL: DEFAULT,
    NODE_ENV: DEFAULT,
  };
}

function named(images: Record<string, Output<string>>): Output<string> {
  const pairs = Object.entries(images).map(([name, image]) => interpolate`${name}=${image}`);
  return all(pairs).apply((list) => list.join(','));
}
