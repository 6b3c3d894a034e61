import type { Output } from '@pulumi/pulumi';
import type { PlatformArgs } from '../platform-args.ts';
import { DEFAULT, type RuntimeEnvironment } from '../runtime-environment.ts';
import type { StoredSecret } from './ecs-secrets.ts';
import { allowList, type EgressPlan } from './egress-plan.ts';
import { RUNTIME_PORT } from './security-flows.ts';
import type { EcsWorkspaces } from './workspaces.ts';

interface Given {
  args: PlatformArgs;
  installation: string;
  url: Output<string>;
  /** Ranges of the load balancer's addresses. */
  proxyRanges: Output<string[]>;
  /** Of the runtime, at its busiest. */
  mostInstances: number;
  cluster: Output<string>;
  taskDefinition: Output<string>;
  taskSubnets: Output<string[]>;
  taskSecurityGroup: Output<string>;
  logGroup: Output<string>;
  workspaces: EcsWorkspaces;
  objectStoreUrl: Output<string>;
  redisUrl: StoredSecret;
  databaseUrl: StoredSecret;
  installationSecret: StoredSecret;
  apiKeys: StoredSecret;
  anthropicApiKey: StoredSecret | undefined;
  egressPlan: EgressPlan;
  /** Of the egress service, where there is one. */
  egress: { url: Output<string>; adminKey: StoredSecret } | undefined;
  bedrockRole: Output<string> | undefined;
}

const text = (value: number | undefined) => (value === undefined ? DEFAULT : String(value));
const list = (values: Output<string[]>) => values.apply((each) => each.join(','));

/** The runtime as a service on ECS. Secrets are in Secrets Manager; credentials are those of its task role. */
export function ecsEnvironment(given: Given): RuntimeEnvironment<StoredSecret> {
  const { args, egress, egressPlan } = given;
  return {
    CONTAINER_MANAGER_TYPE: 'ecs',
    HOST: '0.0.0.0',
    PORT: String(RUNTIME_PORT),
    PUBLIC_URL: given.url,
    TRUSTED_PROXIES: list(given.proxyRanges),
    BERTH_API_KEYS_FILE: DEFAULT,
    BERTH_API_KEYS: given.apiKeys,
    BERTH_DATA_DIR: DEFAULT, // the image's own folder, in memory
    BERTH_INSTALLATION: given.installation,
    BERTH_SECRET: given.installationSecret,
    REDIS_URL: given.redisUrl,
    REDIS_KEY_PREFIX: `{${given.installation}}:`, // in one slot of the cluster
    DATABASE_URL: given.databaseUrl,
    OBJECT_STORE_URL: given.objectStoreUrl,
    BERTH_SINGLE_INSTANCE: DEFAULT,
    BERTH_ALLOW_UNISOLATED: DEFAULT,
    ECS_CLUSTER: given.cluster,
    ECS_TASK_DEFINITION: given.taskDefinition,
    ECS_EFS_FILE_SYSTEM: given.workspaces.files.id,
    ECS_WORKSPACE_TASK_DEFINITION: given.workspaces.task.arn,
    ECS_WORKSPACE_SECURITY_GROUPS: given.workspaces.securityGroup,
    ECS_SUBNETS: list(given.taskSubnets),
    ECS_SECURITY_GROUPS: given.taskSecurityGroup,
    ECS_CAPACITY_PROVIDER: args.capacityProvider ?? DEFAULT,
    ECS_AGENT_PORT: DEFAULT,
    ECS_PROXY_ADMIN_PORT: DEFAULT,
    ECS_INSTANCES: String(given.mostInstances),
    ECS_RUN_TASK_CONCURRENCY: DEFAULT,
    ECS_POLL_SECONDS: DEFAULT,
    ECS_ADDRESS_SECONDS: DEFAULT,
    ECS_WARM_POOL_MIN_SIZE: text(args.warmPoolMin),
    ECS_WARM_POOL_MAX_SIZE: text(args.warmPoolMax),
    ECS_LOG_GROUP: given.logGroup,
    ECS_FUNCTION_TASK_DEFINITIONS: args.functionTaskDefinitions?.join(',') ?? DEFAULT,
    DOCKER_HOST: DEFAULT,
    DOCKER_APPARMOR_PROFILE: DEFAULT,
    WORKSPACE_IMAGE: DEFAULT, // the task definition says it
    DEFAULT_WORKSPACE_IMAGE_REF: given.workspaces.editorImage.ref,
    ALLOWED_IMAGES: DEFAULT,
    OWN_IMAGES: DEFAULT,
    BASE_IMAGE: DEFAULT,
    WORKSPACE_SOCKET_BASE_PATH: DEFAULT,
    MAX_CONTAINERS: text(args.maxContainers),
    WARM_POOL_MIN_SIZE: DEFAULT,
    WARM_POOL_MAX_SIZE: DEFAULT,
    WARM_POOL_TTL_SECONDS: DEFAULT,
    WARM_POOL_PARALLEL_CREATES: DEFAULT,
    CONTAINER_TTL_SECONDS: DEFAULT,
    CONTAINER_MAX_LIFETIME_SECONDS: DEFAULT,
    EXECUTION_TIMEOUT_SECONDS: DEFAULT,
    AGENT_COMMAND: DEFAULT,
    EGRESS_MODE: egress === undefined ? 'sidecar' : 'service',
    EGRESS_PROXY_URL: egress?.url ?? DEFAULT,
    EGRESS_PROXY_ADMIN_URL: DEFAULT,
    EGRESS_PROXY_ADMIN_KEY: egress?.adminKey ?? DEFAULT,
    EGRESS_ALLOWED_DOMAINS: allowList(args.allowedDomains, egressPlan).join(',') || 'none',
    EGRESS_CEILING_DOMAINS: DEFAULT,
    ANTHROPIC_API_KEY: given.anthropicApiKey ?? DEFAULT,
    ANTHROPIC_API_URL: DEFAULT,
    BEDROCK_REGION: args.bedrockRegion ?? DEFAULT,
    BEDROCK_ROLE_ARN: given.bedrockRole ?? DEFAULT,
    BEDROCK_API_URL: DEFAULT,
    SYNC_EXCLUDE: DEFAULT,
    MAX_RUNNING_WORKSPACES: DEFAULT,
    MAX_RUNNING_WORKSPACES_PER_KEY: DEFAULT,
    WORKSPACE_DOMAIN: args.workspaceDomain ?? DEFAULT,
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
