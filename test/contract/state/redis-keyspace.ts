import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { z } from 'zod';
import type { ConversationStatus, DrainReason } from '../../../runtime/contracts/conversation-record.ts';
import type { ExecutionStatus } from '../../../runtime/contracts/execution-record.ts';
import type { ContainerId, ExecutionId } from '../../../runtime/contracts/ids.ts';
import type { LogEntry } from '../../../runtime/state/execution-store.ts';
import type {
  StoredExecution,
  StoredMember,
  StoredRecord,
} from '../../../runtime/state/memory/memory-state.ts';
import { redisKeys } from '../../../runtime/state/redis/redis-keys.ts';
import { conversation, tenant } from './names.ts';
import { type StateDump, stillKnown } from './state-dump.ts';

/** Argument: a prefix. Returns {key, flat values} of every key under it; of a stream id, first, frames by turns. */
const READ_ALL = `
  local all = {}
  for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
    local kind = redis.call('TYPE', key).ok
    local value = {}
    if kind == 'stream' then
      for _, entry in ipairs(redis.call('XRANGE', key, '-', '+')) do
        if entry[2][1] == 'first' then
          for _, text in ipairs({ entry[1], entry[2][2], entry[2][4] }) do value[#value + 1] = text end
        end
      end
    else
      value = kind == 'hash' and redis.call('HGETALL', key)
        or kind == 'zset' and redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
        or kind == 'list' and redis.call('LRANGE', key, 0, -1)
        or kind == 'set' and redis.call('SMEMBERS', key)
        or { redis.call('GET', key) }
    end
    all[#all + 1] = { key, value }
  end
  return all`;

/** The keys of one state under a prefix of their own, seen from outside it. */
export class RedisKeyspace {
  readonly prefix: string;
  readonly client: Redis;
  readonly #keys;

  constructor(url: string, prefix = `{test-${randomBytes(6).toString('hex')}}:`) {
    this.prefix = prefix;
    this.client = new Redis(url);
    this.#keys = redisKeys(prefix);
  }

  /** Of every key, flat. */
  async values(): Promise<Map<string, string[]>> {
    const reply = z
      .array(z.tuple([z.string(), z.array(z.string())]))
      .parse(await this.client.eval(READ_ALL, 0, this.prefix));
    return new Map(reply);
  }

  async dump(now: number): Promise<StateDump> {
    const values = await this.values();
    const keys = this.#keys;
    const at = (key: string) => values.get(key) ?? [];
    const under = <Value>(stem: string, read: (value: string[], name: string) => Value) =>
      Object.fromEntries(
        [...values].flatMap(([key, value]) => {
          const name = key.slice(stem.length);
          return key.startsWith(stem) ? [[name, read(value, name)] as const] : [];
        }),
      );
    const sizes = pairs(at(keys.poolConfig));
    const starters = pairs(at(keys.starters));
    const logs = under(keys.events, entriesOf);
    return structuredClone({
      records: under(keys.record, (value) => recordOf(pairs(value))),
      reverse: under(keys.reverse, ([name]) => name ?? ''),
      reserved: scores(at(keys.reserved)),
      expiry: scores(at(keys.expiry)),
      work: under(keys.work, scores),
      tenants: under(keys.tenant, (value) => Object.keys(pairs(value))),
      warm: at(keys.warmPool),
      members: under(keys.poolInfo, (value) => memberOf(pairs(value))),
      starting: Object.fromEntries(
        Object.entries(scores(at(keys.starting))).map(([id, until]) => [
          id,
          { owner: starters[id] ?? '', until },
        ]),
      ),
      sizes:
        sizes.min_size === undefined ? null : { min: Number(sizes.min_size), max: Number(sizes.max_size) },
      demand: Number(at(keys.demand)[0] ?? 0),
      executions: stillKnown(
        under(keys.execution, (value, name) => executionOf(name, pairs(value), logs[name] ?? [])),
        now,
      ),
      relays: scores(at(keys.relays)),
      tenantExecutions: under(keys.tenantExecutions, scores),
      leases: under(keys.lease, (value) => {
        const { owner = '', until = '' } = pairs(value);
        return { owner, until: Date.parse(until) };
      }),
    });
  }

  async clear(): Promise<void> {
    const names = await this.client.keys(`${this.prefix}*`);
    if (names.length > 0) await this.client.del(names);
  }

  async remove(): Promise<void> {
    await this.clear();
    this.client.disconnect();
  }
}

export function pairs(flat: string[]): Record<string, string> {
  const entries: [string, string][] = [];
  for (let i = 0; i < flat.length; i += 2) entries.push([flat[i] ?? '', flat[i + 1] ?? '']);
  return Object.fromEntries(entries);
}

export function scores(flat: string[]): Record<string, number> {
  return Object.fromEntries(Object.entries(pairs(flat)).map(([member, score]) => [member, Number(score)]));
}

function entriesOf(flat: string[]): LogEntry[] {
  const entries: LogEntry[] = [];
  for (let i = 0; i < flat.length; i += 3) {
    const [id = '', first = '', frames = ''] = flat.slice(i, i + 3);
    entries.push({ first: Number(first), last: Number.parseInt(id, 10), frames: Buffer.from(frames) });
  }
  return entries;
}

// The casts below: dumps are compared with others, and a value that is not one of its type makes a difference.

function recordOf(hash: Record<string, string>): StoredRecord {
  const text = (field: string) => hash[field] ?? `no-${field}`;
  return {
    tenant: tenant(text('tenant_id')),
    conversation: conversation(text('conversation_id')),
    container: text('container_id') as ContainerId,
    status: text('status') as ConversationStatus,
    drainReason: (hash.drain_reason ?? null) as DrainReason | null,
    manager: text('manager_type'),
    createdAt: Date.parse(text('created_at')),
    claimedAt: Date.parse(text('claimed_at')),
    lastActiveAt: Date.parse(text('last_active_at')),
    preparation:
      hash.prepare_until === undefined
        ? null
        : { owner: text('prepare_owner'), until: Date.parse(hash.prepare_until) },
    savedVersion: hash.saved_version ?? null,
    preparedBy: text('prepare_owner'),
    claimedFor: (hash.claimed_for ?? null) as ContainerId | null,
  };
}

function memberOf(hash: Record<string, string>): StoredMember {
  const text = (field: string) => hash[field] ?? `no-${field}`;
  return {
    container: text('container_id') as ContainerId,
    image: text('image'),
    manager: text('manager_type'),
    createdAt: Date.parse(text('created_at')),
    addedBy: text('added_by'),
  };
}

function executionOf(name: string, hash: Record<string, string>, entries: LogEntry[]): StoredExecution {
  const text = (field: string) => hash[field] ?? `no-${field}`;
  const [ofTenant = '', ofConversation = '', id = ''] = name.split(':');
  return {
    tenant: tenant(ofTenant),
    conversation: conversation(ofConversation),
    execution: id as ExecutionId,
    status: text('status') as ExecutionStatus,
    bodyHash: text('body_hash'),
    container: text('container_id') as ContainerId,
    startedAt: Date.parse(text('started_at')),
    deadline: Date.parse(text('deadline')),
    endedAt: hash.ended_at === undefined ? null : Date.parse(hash.ended_at),
    onDisconnect: text('on_disconnect') as 'continue' | 'cancel',
    agentSeq: Number(text('agent_seq')),
    offset: Number(text('offset')),
    relay: text('relay'),
    entries,
    logBytes: Number(text('log_bytes')),
  };
}
