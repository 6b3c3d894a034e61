/**
 * The keys of the state, spelled here only. On a cluster the prefix holds a hash tag (`{berth}:`), so that all of
 * them live in one slot: a script takes some as stems (those with a `+`) and makes the key of a record, a container,
 * a tenant or an execution from them. `{record}` is `{tenant}:{conversation_id}`.
 */
export interface RedisKeys {
  /** Sorted set: container id → deadline. Places taken before a create, or of containers being stopped. */
  reserved: string;
  /** Sorted set: container id → when to look. Places of live records. */
  expiry: string;
  /** List of container ids, the oldest first. */
  warmPool: string;
  /** Sorted set: container id → deadline. Members to come; each is reserved, too. */
  starting: string;
  /** Hash: container id → who creates it, of those that start. */
  starters: string;
  /** Hash `min_size`, `max_size`, as an operator set them. */
  poolConfig: string;
  /** Counter: how often a conversation wanted a container. */
  demand: string;
  /** Sorted set: `{record}:{execution}` → end of its relay's lease. All running executions. */
  relays: string;
  /** String: the server's run id for which the data was adopted. */
  epoch: string;
  /** + `{record}`: hash. */
  record: string;
  /** + `{container_id}`: string, the name of its record. */
  reverse: string;
  /** + `{container_id}`: sorted set, work id → lease deadline. */
  work: string;
  /** + `{tenant}`: sorted set of conversation ids. */
  tenant: string;
  /** + `{container_id}`: hash of a member; lives and dies with its entry in the list. */
  poolInfo: string;
  /** + `{record}:{execution}`: hash. */
  execution: string;
  /** + `{record}:{execution}`: stream, its log. */
  events: string;
  /** + `{record}`: sorted set, execution → when it started. */
  executions: string;
  /** + `{tenant}`: sorted set, `{conversation_id}:{execution}` → deadline, of those that run. */
  tenantExecutions: string;
  /** + a lease's name: hash `owner`, `until`. */
  lease: string;
  /** + `{workspace_id}`: sorted set, connection → its last heartbeat. */
  connections: string;
  /** + `{workspace_id}`: string, until when it is left running though nobody is connected. */
  idleTimer: string;
  /** + a name that is good once: string, until when it is used up. */
  once: string;
  /** String: since when it is asked who uses which workspace. */
  activitySince: string;
}

export function redisKeys(prefix: string): RedisKeys {
  return {
    reserved: `${prefix}workspace:reserved`,
    expiry: `${prefix}workspace:expiry`,
    warmPool: `${prefix}workspace:warm_pool`,
    starting: `${prefix}workspace:warm_pool:starting`,
    starters: `${prefix}workspace:warm_pool:starters`,
    poolConfig: `${prefix}workspace:warm_pool:config`,
    demand: `${prefix}workspace:warm_pool:demand`,
    relays: `${prefix}workspace:relays`,
    epoch: `${prefix}workspace:epoch`,
    record: `${prefix}workspace:container:`,
    reverse: `${prefix}workspace:container_reverse:`,
    work: `${prefix}workspace:work:`,
    tenant: `${prefix}workspace:tenant:`,
    poolInfo: `${prefix}workspace:warm_pool_info:`,
    execution: `${prefix}workspace:execution:`,
    events: `${prefix}workspace:events:`,
    executions: `${prefix}workspace:executions:`,
    tenantExecutions: `${prefix}workspace:tenant_executions:`,
    lease: `${prefix}workspace:lease:`,
    connections: `${prefix}ws_conn:`,
    idleTimer: `${prefix}idle_timer:`,
    once: `${prefix}workspace:once:`,
    activitySince: `${prefix}workspace:activity_since`,
  };
}

/** The keys of functions' workers. `{function}` is `{tenant}:{name}`. None is left when there is no worker. */
export interface WorkerKeys {
  /** Set of all worker ids. */
  workers: string;
  /** Hash: lease → the worker that an acquire gave it, while it is busy. */
  leases: string;
  /** Sorted set: instance → its last beat. Those that hold workers. */
  instances: string;
  /** String: until when somebody waits for a place of any function. */
  waitingForRoom: string;
  /** A channel: `{function}`, or nothing for any, of which there is something that somebody waits for. */
  freed: string;
  /** + `{worker_id}`: hash. */
  worker: string;
  /** + `{function}`: set of its worker ids. */
  workersOf: string;
  /** + `{function}`: set of those of them that are terminating. */
  terminating: string;
  /** + `{function}`: list of those that are idle, the one that was let go last first. */
  idle: string;
  /** + `{function}`: the same of those that are paused. */
  paused: string;
  /** + `{function}`: string, until when somebody waits. */
  waiting: string;
}

export function workerKeys(prefix: string): WorkerKeys {
  return {
    workers: `${prefix}fn:workers`,
    leases: `${prefix}fn:leases`,
    instances: `${prefix}fn:instances`,
    waitingForRoom: `${prefix}fn:waiting`,
    freed: `${prefix}fn:freed`,
    worker: `${prefix}fn:worker:`,
    workersOf: `${prefix}fn:workers:`,
    terminating: `${prefix}fn:terminating:`,
    idle: `${prefix}fn:idle:`,
    paused: `${prefix}fn:paused:`,
    waiting: `${prefix}fn:waiting:`,
  };
}

/** + `{record}`: string, its egress settings, sealed; empty: it has none. */
export function egressSettingsStem(prefix: string): string {
  return `${prefix}workspace:egress:`;
}

/** + `{container_id}`: strings, the ARN of its task, and that task's address. */
export function taskStems(prefix: string): { task: string; address: string } {
  return { task: `${prefix}workspace:ecs_task:`, address: `${prefix}workspace:ecs_address:` };
}

/** A stream that wakes one instance's reader of streams. */
export function wakeKey(prefix: string, reader: string): string {
  return `${prefix}workspace:wake:${reader}`;
}

/** A channel: someone has something for the workspaces' loops to look at. */
export function hintChannel(prefix: string): string {
  return `${prefix}monitor:trigger`;
}

/** In the order in which prelude.lua takes them. */
export function scriptKeys(keys: RedisKeys): string[] {
  return [
    ...[
      keys.reserved,
      keys.expiry,
      keys.warmPool,
      keys.starting,
      keys.starters,
      keys.poolConfig,
      keys.demand,
    ],
    ...[keys.relays, keys.epoch, keys.record, keys.reverse, keys.work, keys.tenant, keys.poolInfo],
    ...[keys.execution, keys.events, keys.executions, keys.tenantExecutions, keys.lease],
    ...[keys.connections, keys.idleTimer, keys.once, keys.activitySince],
  ];
}

/** In the order in which worker-rules.lua takes them. */
export function workerScriptKeys(keys: WorkerKeys): string[] {
  return [
    ...[keys.workers, keys.leases, keys.instances, keys.waitingForRoom, keys.freed],
    ...[keys.worker, keys.workersOf, keys.terminating, keys.idle, keys.paused, keys.waiting],
  ];
}
