/**
 * The keys of the conversations' store, spelled here only. On a cluster the prefix holds a hash tag
 * (`{berth}:`), so that all of them live in one slot: a script takes the last four as stems and makes the
 * key of a record, a container or a tenant from them.
 */
export interface RedisKeys {
  /** Sorted set: container id → deadline. Places taken before a create, or of containers being stopped. */
  reserved: string;
  /** Sorted set: container id → when to look. Places of live records. */
  expiry: string;
  /** List of container ids. */
  warmPool: string;
  /** + `{tenant}:{conversation_id}`: hash, the record. */
  record: string;
  /** + `{container_id}`: string, the name of its record. */
  reverse: string;
  /** + `{container_id}`: sorted set, work id → lease deadline. */
  work: string;
  /** + `{tenant}`: sorted set of conversation ids. */
  tenant: string;
}

export function redisKeys(prefix: string): RedisKeys {
  return {
    reserved: `${prefix}workspace:reserved`,
    expiry: `${prefix}workspace:expiry`,
    warmPool: `${prefix}workspace:warm_pool`,
    record: `${prefix}workspace:container:`,
    reverse: `${prefix}workspace:container_reverse:`,
    work: `${prefix}workspace:work:`,
    tenant: `${prefix}workspace:tenant:`,
  };
}

/** In the order in which prelude.lua takes them. */
export function scriptKeys(keys: RedisKeys): string[] {
  return [keys.reserved, keys.expiry, keys.warmPool, keys.record, keys.reverse, keys.work, keys.tenant];
}
