import { OUR_IMAGES } from './image-reference.ts';
import {
  addressList,
  awsNames,
  BACKEND_NAMES,
  decimal,
  domainList,
  flag,
  functionTasks,
  imageList,
  imageMap,
  imageReference,
  nameList,
  oneOf,
  optionalSeconds,
  seconds,
  text,
  url,
  type Variable,
  wholeNumber,
} from './variable.ts';

const SYNC_EXCLUDE_DEFAULT = [
  '__pycache__',
  'node_modules',
  '.venv',
  'venv',
  '*.pyc',
  '.DS_Store',
  '.cache',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.npm',
];

const EGRESS_DEFAULT = [
  'api.anthropic.com',
  ...['us-east-1', 'us-west-2', 'ap-northeast-1'].map((region) => `bedrock-runtime.${region}.amazonaws.com`),
];

/** For what is compared with a time and never slept through. */
const TEN_YEARS = 10 * 365 * 86_400;

/** A call is a connection that is held open meanwhile. */
const MOST_ACQUIRE_SECONDS = 900;

/** Every environment variable that the runtime reads. The reference and `berth config` are made from this. */
export const VARIABLES = {
  CONTAINER_MANAGER_TYPE: oneOf(BACKEND_NAMES, {
    default: undefined,
    defaultText: '`docker` if an engine answers, else `process`',
    description:
      'What runs containers. The choice is remembered in the data directory; a later start that would choose otherwise stops and says so.',
  }),
  HOST: text({
    default: '127.0.0.1',
    description: 'Address to listen on. Anything but loopback wants configured keys.',
  }),
  PORT: wholeNumber({ default: 7420, description: 'Port to listen on; 0 takes a free one.' }, 0, 65_535),
  PUBLIC_URL: url(['http', 'https'], {
    default: undefined,
    defaultText: 'none',
    description: 'Where clients reach the API, as told in `/openapi.json`.',
  }),
  TRUSTED_PROXIES: addressList({
    default: [],
    defaultText: 'none',
    description: "Addresses or ranges of proxies whose `X-Forwarded-For` tells the client's address.",
  }),
  BERTH_API_KEYS_FILE: text({
    default: undefined,
    defaultText: 'none: one development key, loopback only',
    description: 'File with the API keys, a JSON array; read again when it changes.',
  }),
  BERTH_API_KEYS: text(
    {
      default: undefined,
      defaultText: 'none',
      secret: true,
      description: 'The same JSON inline. Holds hashes only, but is treated as a secret.',
    },
    /^\s*\[[\s\S]*\]\s*$/,
    'a JSON array of keys, as `berth keys create` prints them',
  ),
  BERTH_DATA_DIR: text({
    default: '.berth',
    description:
      'Folder for what a single instance keeps. Held by an exclusive lock: a second start says who has it.',
  }),
  BERTH_INSTALLATION: text(
    {
      default: undefined,
      defaultText: 'generated into the data directory; required with `REDIS_URL`',
      description: 'Id of this installation; it labels everything that is made.',
    },
    /^[a-z0-9][a-z0-9-]{0,39}$/,
    'up to 40 of a-z, 0-9 and -, not beginning with -',
  ),
  BERTH_SECRET: text(
    {
      default: undefined,
      defaultText: 'generated into the data directory; required with `REDIS_URL`',
      secret: true,
      description: '32 bytes as 64 hex digits, from which every token of a container is derived.',
    },
    /^[0-9a-fA-F]{64}$/,
    '64 hex digits (openssl rand -hex 32)',
  ),
  REDIS_URL: url(['redis', 'rediss'], {
    default: undefined,
    defaultText: 'the state is kept in memory',
    secret: true,
    description:
      'Shared store of conversations. All three stores are shared or all three local, see `BERTH_SINGLE_INSTANCE`.',
  }),
  REDIS_KEY_PREFIX: text(
    {
      default: '',
      defaultText: 'empty',
      description: 'Prefix of every key; a hash tag such as `{berth}:` on a cluster.',
    },
    /^[\x21-\x7e]{1,64}$/,
    'up to 64 printable characters',
  ),
  DATABASE_URL: url(['postgres', 'postgresql'], {
    default: undefined,
    defaultText: 'a file in the data directory',
    secret: true,
    description: 'Shared database.',
  }),
  OBJECT_STORE_URL: url(['s3'], {
    default: undefined,
    defaultText: 'a folder in the data directory',
    description:
      'Shared object store, `s3://bucket/prefix`. Region, endpoint and credentials come from the usual `AWS_*` variables.',
  }),
  BERTH_SINGLE_INSTANCE: flag({
    default: false,
    description: 'Allows a mixture of shared and local stores, as long as only one instance runs.',
  }),
  BERTH_ALLOW_UNISOLATED: flag({
    default: false,
    backends: ['process'],
    description: 'Lets the `process` backend run without `bwrap`, which isolates nothing.',
  }),
  ECS_CLUSTER: text(
    {
      default: undefined,
      defaultText: 'none; required for `ecs`',
      backends: ['ecs'],
      description: 'Cluster whose tasks are the containers: its name or ARN.',
    },
    /^[\w:/-]{1,255}$/,
    'the name or ARN of a cluster',
  ),
  ECS_TASK_DEFINITION: text(
    {
      default: undefined,
      defaultText: 'none; required for `ecs`',
      backends: ['ecs'],
      description:
        'Task definition of the conversations, as family, family:revision or ARN, with the containers `workspace-agent` and `proxy-sidecar`. With a revision, the pool is replaced when it changes.',
    },
    /^[\w:/-]{1,255}$/,
    'a family, family:revision or ARN',
  ),
  ECS_EFS_FILE_SYSTEM: text(
    {
      default: undefined,
      defaultText: 'none: no workspaces on `ecs`',
      backends: ['ecs'],
      description:
        'File system of EFS that keeps the homes of workspaces, each behind an access point of its own. Goes together with `ECS_WORKSPACE_TASK_DEFINITION`.',
    },
    /^fs-[0-9a-f]{8,40}$/,
    'the id of a file system, such as fs-0abc1234',
  ),
  ECS_WORKSPACE_TASK_DEFINITION: text(
    {
      default: undefined,
      defaultText: 'none: no workspaces on `ecs`',
      backends: ['ecs'],
      description:
        'Task definition that those of workspaces are made after, as family, family:revision or ARN, with the containers `workspace-app`, `proxy-sidecar` and `volume-helper`. Its task role is not taken over.',
    },
    /^[\w:/-]{1,255}$/,
    'a family, family:revision or ARN',
  ),
  ECS_WORKSPACE_SECURITY_GROUPS: awsNames(
    {
      default: [],
      defaultText: '`ECS_SECURITY_GROUPS`',
      backends: ['ecs'],
      description:
        "Security groups of workspaces' tasks, where theirs are others: they reach the file system, and the runtime their port 8080, too.",
    },
    /^sg-[0-9a-f]{8,17}$/,
    5,
    'sg-0abc1234',
  ),
  ECS_SUBNETS: awsNames(
    {
      default: [],
      defaultText: 'none; required for `ecs`',
      backends: ['ecs'],
      description: 'Private subnets of the tasks. None gets a public address.',
    },
    /^subnet-[0-9a-f]{8,17}$/,
    16,
    'subnet-0abc1234',
  ),
  ECS_SECURITY_GROUPS: awsNames(
    {
      default: [],
      defaultText: 'none; required for `ecs`',
      backends: ['ecs'],
      description:
        'Security groups of the tasks: the runtime reaches their agent and proxy, nobody else does.',
    },
    /^sg-[0-9a-f]{8,17}$/,
    5,
    'sg-0abc1234',
  ),
  ECS_CAPACITY_PROVIDER: text(
    {
      default: undefined,
      defaultText: 'none: Fargate',
      backends: ['ecs'],
      description: 'Capacity provider of the tasks, for instance `FARGATE_SPOT` or one of your own.',
    },
    /^[\w-]{1,255}$/,
    'the name of a capacity provider',
  ),
  ECS_AGENT_PORT: wholeNumber(
    { default: 9000, backends: ['ecs'], description: "Port of a task's agent." },
    1,
    65_535,
  ),
  ECS_PROXY_ADMIN_PORT: wholeNumber(
    { default: 8081, backends: ['ecs'], description: "Port where a task's egress proxy is told its rules." },
    1,
    65_535,
  ),
  ECS_INSTANCES: wholeNumber(
    {
      default: 2,
      backends: ['ecs'],
      description:
        'How many instances there are at most. Each keeps to its part of what AWS lets an account call.',
    },
    1,
    400,
  ),
  ECS_RUN_TASK_CONCURRENCY: wholeNumber(
    { default: 10, backends: ['ecs'], description: 'Most RunTask calls of an instance at once.' },
    1,
    100,
  ),
  ECS_POLL_SECONDS: seconds(
    {
      default: 2,
      backends: ['ecs'],
      description: 'How often the tasks that are waited for are described, 100 with one call.',
    },
    0.05,
    60,
  ),
  ECS_ADDRESS_SECONDS: seconds(
    {
      default: 120,
      backends: ['ecs'],
      description:
        'How long a RunTask is tried, and then how long its task may take to get an address. More where instances of yours start first.',
    },
    1,
    1800,
  ),
  ECS_WARM_POOL_MIN_SIZE: wholeNumber(
    { default: 50, backends: ['ecs'], description: '`WARM_POOL_MIN_SIZE` on ECS.' },
    0,
    10_000,
  ),
  ECS_WARM_POOL_MAX_SIZE: wholeNumber(
    { default: 120, backends: ['ecs'], description: '`WARM_POOL_MAX_SIZE` on ECS.' },
    0,
    10_000,
  ),
  ECS_LOG_GROUP: text(
    {
      default: '/ecs/workspace-agent',
      backends: ['ecs'],
      description: "Log group of CloudWatch that the tasks' output goes to, under the prefix `ecs`.",
    },
    /^[\w./#-]{1,512}$/,
    'the name of a log group',
  ),
  ECS_FUNCTION_TASK_DEFINITIONS: functionTasks({
    default: [],
    defaultText: 'none',
    backends: ['ecs'],
    description:
      'Task definitions that functions may name, and the port where each listens. Its first essential container gets the variables of the function, with `PORT` among them; one called `proxy-sidecar`, if it has one, is its egress proxy.',
  }),
  DOCKER_HOST: url(['unix', 'tcp', 'http', 'https'], {
    default: undefined,
    defaultText: '`unix:///var/run/docker.sock`',
    backends: ['docker'],
    description: 'Where the Docker engine listens.',
  }),
  DOCKER_APPARMOR_PROFILE: text({
    default: undefined,
    defaultText: '`docker-default` where the host has AppArmor',
    backends: ['docker'],
    description: 'AppArmor profile of the containers.',
  }),
  WORKSPACE_IMAGE: text({
    default: undefined,
    defaultText: '`workspace-base:<version>`',
    description: 'Image of the conversations. Absent: it is pulled, or built from this repository.',
  }),
  DEFAULT_WORKSPACE_IMAGE_REF: imageReference({
    default: undefined,
    defaultText: '`workspace-editor:<version>`',
    description: 'Image of a workspace that names none.',
  }),
  ALLOWED_IMAGES: imageList({
    default: undefined,
    defaultText: "this repository's: `workspace-editor,workspace-base,function-node,function-python`",
    description:
      'Images that workspaces and functions may name, workspaces beside `DEFAULT_WORKSPACE_IMAGE_REF`: `name` with any tag or digest, `name:tag` alone, `registry.example.com/team/` for all below. One of this repository without a tag is of this version.',
  }),
  OWN_IMAGES: imageMap(
    {
      default: new Map(),
      defaultText: 'those of this version: `function-node` is `function-node:<version>`',
      description:
        "What the plain names of this repository's images mean, where a deployment calls them otherwise.",
    },
    OUR_IMAGES,
  ),
  BASE_IMAGE: text({
    default: undefined,
    defaultText: '`node:24-bookworm-slim`, else built from the packages of Debian',
    backends: ['docker'],
    description: 'What our images are built on when they are built here.',
  }),
  WORKSPACE_SOCKET_BASE_PATH: text({
    default: undefined,
    defaultText: '`/var/run/berth`, else a folder under the data directory, else one in the temporary folder',
    description:
      "Folder of the containers' sockets; in a containerised runtime the same path inside and out.",
  }),
  MAX_CONTAINERS: wholeNumber(
    {
      default: undefined,
      defaultText: 'docker 100, process 20, ecs 1000',
      description:
        'Most containers over all instances: starting, live and stopping. Beyond: 429 `CAPACITY_EXCEEDED`.',
    },
    1,
    100_000,
  ),
  WARM_POOL_MIN_SIZE: wholeNumber(
    {
      default: 2,
      description:
        'Fewest containers kept ready for conversations to come. `PUT /v1/warm-pool` overrides it and the maximum.',
    },
    0,
    10_000,
  ),
  WARM_POOL_MAX_SIZE: wholeNumber(
    {
      default: 10,
      description:
        'Most containers that are ready or being made so, over all instances; how many there are follows demand. 0 with a minimum of 0: no pool.',
    },
    0,
    10_000,
  ),
  WARM_POOL_TTL_SECONDS: seconds({
    default: 1800,
    description: 'How long a ready container may wait to be used before it is replaced.',
  }),
  WARM_POOL_PARALLEL_CREATES: wholeNumber(
    {
      default: undefined,
      defaultText: '4, ecs 50',
      description: 'Most containers that an instance makes for the pool at once.',
    },
    1,
    100,
  ),
  CONTAINER_TTL_SECONDS: seconds({
    default: 3600,
    description: 'How long a conversation may idle, since its last work ended.',
  }),
  CONTAINER_MAX_LIFETIME_SECONDS: seconds({
    default: 28_800,
    description: 'Longest life of a container since its creation.',
  }),
  EXECUTION_TIMEOUT_SECONDS: seconds(
    {
      default: 600,
      description: 'Longest a command may take, and the most a request may ask for.',
    },
    0.001,
    86_400,
  ),
  AGENT_COMMAND: text({
    default: undefined,
    defaultText: "none: what the image says, else the agent's own code runner",
    description:
      'What runs executions inside a container: a program that takes one JSON request on stdin and writes one JSON event a line.',
  }),
  EGRESS_MODE: oneOf(['host', 'sidecar', 'service'], {
    default: undefined,
    defaultText: '`host`; `sidecar` on ecs',
    description:
      'Where the egress proxy runs that has the rules: `host`, beside the runtime; `sidecar`, beside each container; `service`, apart, at `EGRESS_PROXY_URL`.',
  }),
  EGRESS_PROXY_URL: url(['http', 'https'], {
    default: undefined,
    defaultText: 'none',
    description: 'The egress service, for `EGRESS_MODE=service`.',
  }),
  EGRESS_PROXY_ADMIN_URL: url(['http'], {
    default: undefined,
    defaultText: 'the host of `EGRESS_PROXY_URL`, port 8081',
    description:
      'Where the egress service is told its rules; each address of the name is told. What is told is sealed.',
  }),
  EGRESS_PROXY_ADMIN_KEY: text(
    {
      default: undefined,
      defaultText: 'none',
      secret: true,
      description: 'What seals it; the same as the `PROXY_ADMIN_KEY` of the service.',
    },
    /^[\x21-\x7e]{16,512}$/,
    '16 to 512 printable characters without blanks (openssl rand -hex 32)',
  ),
  EGRESS_ALLOWED_DOMAINS: domainList({
    default: EGRESS_DEFAULT,
    defaultText: `\`${EGRESS_DEFAULT.join(',')}\``,
    description:
      'Hosts that containers reach through their egress proxy, on ports 80 and 443: `host`, `.suffix` for subdomains, `host:port`, and `internal:` before one whose address is private. `none`: nothing.',
  }),
  EGRESS_CEILING_DOMAINS: domainList({
    default: undefined,
    defaultText: '`EGRESS_ALLOWED_DOMAINS`',
    description:
      'The most that a conversation may allow itself, and where its MCP servers may be, in the same form.',
  }),
  ANTHROPIC_API_KEY: text({
    default: undefined,
    defaultText: 'none: `/anthropic/` of the egress proxy answers 404',
    secret: true,
    description: 'Key that the egress proxy adds to calls of `/anthropic/…`; containers never see it.',
  }),
  ANTHROPIC_API_URL: url(['https', 'http'], {
    default: 'https://api.anthropic.com',
    description: "Where `/anthropic/…` goes: Anthropic's API, or a gateway that speaks it.",
  }),
  BEDROCK_REGION: text(
    {
      default: undefined,
      defaultText: 'none: nothing is signed',
      description: 'Region for which the egress proxy signs calls of models; with `BEDROCK_ROLE_ARN`.',
    },
    /^[a-z]{2}(-[a-z]+)+-\d$/,
    'the name of an AWS region (us-east-1)',
  ),
  BEDROCK_ROLE_ARN: text(
    {
      default: undefined,
      defaultText: 'none',
      description:
        'Role that may invoke models and nothing else. The runtime assumes it; no credentials but its own reach a proxy.',
    },
    /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/,
    'the ARN of an IAM role',
  ),
  BEDROCK_API_URL: url(['https', 'http'], {
    default: undefined,
    defaultText: '`https://bedrock-runtime.<region>.amazonaws.com`',
    description: 'Where signed calls go, where that is an endpoint of your own.',
  }),
  SYNC_EXCLUDE: nameList({
    default: SYNC_EXCLUDE_DEFAULT,
    defaultText: `\`${SYNC_EXCLUDE_DEFAULT.join(',')}\``,
    description: 'Names of files and folders in `/workspace` that are not saved.',
  }),
  MAX_RUNNING_WORKSPACES: wholeNumber(
    {
      default: 100,
      description:
        'Most workspaces that are wanted RUNNING, over all instances. Beyond: 429 `CAPACITY_EXCEEDED`.',
    },
    0,
    100_000,
  ),
  MAX_RUNNING_WORKSPACES_PER_KEY: wholeNumber(
    {
      default: 2,
      description: 'Most of them that one key has made, by its name. Beyond: 429 `QUOTA_EXCEEDED`.',
    },
    0,
    100_000,
  ),
  WORKSPACE_DOMAIN: text(
    {
      default: undefined,
      defaultText: 'none: `/w/{id}/` on the host of the API, on loopback and for one tenant only',
      description:
        'Domain below which each workspace has a host, `{id}.<domain>`, with the port where it is not that of the API. Take another registrable domain than the API has.',
    },
    /^(?=.{1,200}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+(:\d{1,5})?$/,
    'a domain in lower case, with or without a port (workspaces.example.com)',
  ),
  WORKSPACE_CPUS: decimal({ default: 2, description: 'CPUs that a workspace may use.' }, 0.05, 256),
  WORKSPACE_MEMORY_MB: wholeNumber(
    { default: 4096, description: 'Memory that a workspace may use, in MiB.' },
    64,
    4_194_304,
  ),
  WORKSPACE_CPUS_RESERVED: decimal(
    { default: 0.5, description: 'CPUs that a workspace is sure to get.' },
    0,
    256,
  ),
  WORKSPACE_MEMORY_MB_RESERVED: wholeNumber(
    { default: 512, description: 'Memory that is kept for a workspace when it runs short, in MiB.' },
    0,
    4_194_304,
  ),
  WORKSPACE_PARALLEL_OPERATIONS: wholeNumber(
    {
      default: 8,
      description:
        'Most operations on workspaces (start, stop, archive, …) that an instance carries out at once.',
    },
    1,
    1000,
  ),
  WORKSPACE_OBSERVE_SECONDS: seconds({
    default: 30,
    description: 'How often it is looked which volumes and containers of workspaces there are.',
  }),
  RECONCILE_INTERVAL_SECONDS: seconds({
    default: 10,
    description: 'How often workspaces are brought where they are wanted; what users say is done at once.',
  }),
  TTL_MANAGER_INTERVAL: seconds({
    default: 60,
    description: 'How often it is looked which workspaces nobody uses, in seconds.',
  }),
  DEFAULT_STANDBY_TTL: optionalSeconds({
    default: undefined,
    defaultText: '300',
    description:
      'How long a workspace runs after its last use, unless it has a value of its own. Unset: `IDLE_TIMER_SECONDS`.',
  }),
  IDLE_TIMER_SECONDS: seconds({
    default: 300,
    description: 'The same where `DEFAULT_STANDBY_TTL` is not set.',
  }),
  DEFAULT_ARCHIVE_TTL: seconds(
    {
      default: 86_400,
      description:
        'How long a workspace stays in STANDBY before it is archived, unless it has a value of its own.',
    },
    60,
    TEN_YEARS,
  ),
  ARCHIVE_GC_INTERVAL_SECONDS: seconds({
    default: 3600,
    description: 'How often archives are removed that nobody has needed for two hours.',
  }),
  STARTUP_TIMEOUT_SECONDS: seconds({
    default: 300,
    description: 'Longest that starting a workspace may take, with the fetching of its image.',
  }),
  HEALTH_CHECK_TIMEOUT_SECONDS: seconds({
    default: 30,
    description: "How long a workspace's program may take from its start until it answers on port 8080.",
  }),
  MAX_FUNCTION_WORKERS: wholeNumber(
    {
      default: undefined,
      defaultText: 'docker 50, process 20, ecs 200',
      description:
        'Most workers of functions over all functions and instances: starting, idle, busy and stopping. Also the most that one function may ask for.',
    },
    1,
    100_000,
  ),
  DEFAULT_MAX_CAPACITY: wholeNumber(
    { default: 1, description: 'Most workers of a function that does not say.' },
    1,
    100_000,
  ),
  DEFAULT_MIN_CAPACITY: wholeNumber(
    { default: 0, description: 'Workers that are kept ready for a function that does not say.' },
    0,
    100_000,
  ),
  POOL_ACQUIRE_TIMEOUT: seconds(
    {
      default: 30,
      description: 'How long a call waits for a worker, where its function does not say, in seconds.',
    },
    0,
    MOST_ACQUIRE_SECONDS,
  ),
  GATEWAY_IDLE_TIMEOUT_SECONDS: seconds(
    {
      default: 300,
      description: 'How long a worker may idle before it is ended, where its function does not say.',
    },
    1,
  ),
  HEARTBEAT_INTERVAL: seconds({
    default: 30,
    description:
      'How often it is looked which workers are too many, too few, or of a dead instance, in seconds.',
  }),
  ENABLE_CONTAINER_PAUSE: flag({
    default: false,
    description: 'Pauses idle workers, where the backend can: they keep their memory and use no CPU.',
  }),
  PAUSE_IDLE_SECONDS: seconds({ default: 30, description: 'How long a worker idles before it is paused.' }),
  FUNCTION_CPUS: decimal(
    { default: 1, description: 'CPUs that a worker may use, where its function does not say.' },
    0.05,
    256,
  ),
  FUNCTION_MEMORY_MB: wholeNumber(
    { default: 512, description: 'Memory that a worker may use, where its function does not say, in MiB.' },
    32,
    4_194_304,
  ),
  MAX_FUNCTION_CPUS: decimal(
    { default: 4, description: 'Most CPUs that a function may ask for, a worker.' },
    0.05,
    256,
  ),
  MAX_FUNCTION_MEMORY_MB: wholeNumber(
    { default: 4096, description: 'Most memory that a function may ask for, a worker, in MiB.' },
    32,
    4_194_304,
  ),
  GRACE_PERIOD_SECONDS: seconds(
    { default: 30, description: 'How long DELETE and shutdown wait for work before they cancel it.' },
    0,
  ),
  HEALTH_CHECK_INTERVAL_SECONDS: seconds({
    default: 30,
    description:
      'How often every container of a conversation, and every warm one, is asked how it is. Three failures in a row end it.',
  }),
  GC_INTERVAL_SECONDS: seconds({ default: 60, description: 'How often expired containers are looked for.' }),
  ORPHAN_GRACE_PERIOD_SECONDS: optionalSeconds({
    default: undefined,
    defaultText: '60, ecs 150',
    description: 'How long a container that nobody owns is left alone before it is taken back or ended.',
  }),
  LOG_LEVEL: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], {
    default: 'info',
    description: 'JSON lines; readable on a terminal.',
  }),
  NODE_ENV: text({
    default: undefined,
    defaultText: 'none',
    description: '`production` refuses the `process` backend.',
  }),
} as const satisfies Record<string, Variable<unknown>>;

export type VariableName = keyof typeof VARIABLES;

type ValueOf<V> = V extends Variable<infer T> ? T : never;

/** The parsed environment, under the names of the variables. */
export type Config = { readonly [Name in VariableName]: ValueOf<(typeof VARIABLES)[Name]> };
