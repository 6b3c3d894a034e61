import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { z } from 'zod';
import type { ConversationStatus, DrainReason } from '../../../runtime/contracts/conversation-record.ts';
import type { ContainerId } from '../../../runtime/contracts/ids.ts';
import type { StoredRecord } from '../../../runtime/state/memory/memory-state.ts';
import { redisKeys } from '../../../runtime/state/redis/redis-keys.ts';
import { conversation, tenant } from './names.ts';
import type { StateDump } from './state-dump.ts';

/** Argument: a prefix. Returns {key, flat values} of every key under it. */
const READ_ALL = `
  local all = {}
  for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
    local kind = redis.call('TYPE', key).ok
    local value = kind == 'hash' and redis.call('HGETALL', key)
      or kind == 'zset' and redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
      or { redis.call('GET', key) }
    all[#all + 1] = { key, value }
  end
  return all`;

/** The keys of one store under a prefix of their own, seen from outside it. */
export class RedisKeyspace {
  readonly prefix = `{test-${randomBytes(6).toString('hex')}}:`;
  readonly client: Redis;
  readonly #keys = redisKeys(this.prefix);

  constructor(url: string) {
    this.client = new Redis(url);
  }

  async dump(): Promise<StateDump> {
    const reply = z
      .array(z.tuple([z.string(), z.array(z.string())]))
      .parse(await this.client.eval(READ_ALL, 0, this.prefix));
    const values = new Map(reply);
    const under = <Value>(stem: string, read: (value: string[]) => Value) =>
      Object.fromEntries(
        [...values].flatMap(([key, value]) =>
          key.startsWith(stem) ? [[key.slice(stem.length), read(value)] as const] : [],
        ),
      );
    return {
      records: under(this.#keys.record, (value) => recordOf(pairs(value))),
      reverse: under(this.#keys.reverse, ([name]) => name ?? ''),
      reserved: scores(values.get(this.#keys.reserved) ?? []),
      expiry: scores(values.get(this.#keys.expiry) ?? []),
      work: under(this.#keys.work, scores),
      tenants: under(this.#keys.tenant, (value) => Object.keys(pairs(value))),
    };
  }

  async remove(): Promise<void> {
    const names = await this.client.keys(`${this.prefix}*`);
    if (names.length > 0) await this.client.del(names);
    this.client.disconnect();
  }
}

function pairs(flat: string[]): Record<string, string> {
  const entries: [string, string][] = [];
  for (let i = 0; i < flat.length; i += 2) entries.push([flat[i] ?? '', flat[i + 1] ?? '']);
  return Object.fromEntries(entries);
}

function scores(flat: string[]): Record<string, number> {
  return Object.fromEntries(Object.entries(pairs(flat)).map(([member, score]) => [member, Number(score)]));
}

function recordOf(hash: Record<string, string>): StoredRecord {
  const text = (field: string) => hash[field] ?? `no-${field}`;
  return {
    tenant: tenant(text('tenant_id')),
    conversation: conversation(text('conversation_id')),
    // The casts: dumps are compared with others, and a value that is not one of its type makes a difference.
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
    preparedBy: text('prepare_owner'),
  };
}
