import type { ConversationRecord, Instant } from '../../contracts/conversation-record.ts';
import { BerthError } from '../../contracts/errors.ts';
import type { ContainerId, ConversationId, TenantId, WorkId } from '../../contracts/ids.ts';
import type {
  AcquireRequest,
  AcquireResult,
  BeginWorkResult,
  ConversationStore,
  DrainRequest,
  Due,
  Fenced,
  Incarnation,
  Lifetimes,
  Page,
  PageRequest,
  PreparationRequest,
  WorkRequest,
} from '../conversation-store.ts';
import { idsToLookAt } from '../store-limits.ts';
import { RedisConnection, type RedisConnectionOptions } from './redis-connection.ts';
import * as replies from './replies.ts';
import { ScriptRunner, type StoreClock } from './script-runner.ts';

export interface RedisConversationStoreOptions extends RedisConnectionOptions, StoreClock {
  /** With a hash tag (`{berth}:`) on a cluster. Default: none. */
  keyPrefix?: string;
  /** A record's key goes by itself twice this long after the last write, should all else fail. */
  maxLifetimeSeconds: number;
}

/** The state of conversations in Redis: each operation is the Lua script of its name. */
export class RedisConversationStore implements ConversationStore {
  readonly #connection: RedisConnection;
  readonly #scripts: ScriptRunner;
  readonly #maxLifetimeSeconds: number;

  constructor(options: RedisConversationStoreOptions) {
    this.#connection = new RedisConnection(options);
    this.#scripts = new ScriptRunner(this.#connection, options.keyPrefix ?? '', options);
    this.#maxLifetimeSeconds = options.maxLifetimeSeconds;
  }

  now(): Promise<Instant> {
    return this.#scripts.run('now', [], replies.instant);
  }

  async acquire(request: AcquireRequest): Promise<AcquireResult> {
    const { work } = request;
    const args = [
      ...[request.tenant, request.conversation, request.newContainer, request.manager, request.owner],
      ...[ms(request.leaseSeconds), request.maxContainers, request.tenantLimit ?? ''],
      ...[work.id, ms(work.leaseSeconds), ...this.#lifetimes(work.ttl)],
    ];
    const reply = await this.#scripts.run('acquire', args, replies.acquired);
    switch (reply[0]) {
      case 'container-taken':
        throw new BerthError('INTERNAL', `The container id ${request.newContainer} is taken already.`);
      case 'no-room':
      case 'over-quota':
        return { kind: reply[0], limit: reply[1], used: reply[2] };
      default:
        return { kind: reply[0], record: reply[1] };
    }
  }

  renewPreparation(request: PreparationRequest): Promise<Fenced> {
    const args = [...incarnation(request), request.owner, ms(request.leaseSeconds), this.#keyTtl()];
    return this.#scripts.run('renewPreparation', args, replies.fenced);
  }

  bind(request: PreparationRequest): Promise<Fenced> {
    const args = [...incarnation(request), request.owner, ms(request.leaseSeconds), this.#keyTtl()];
    return this.#scripts.run('bind', args, replies.fenced);
  }

  confirm(request: Incarnation & { owner: string; ttl: Lifetimes }): Promise<Fenced> {
    const args = [...incarnation(request), request.owner, ...this.#lifetimes(request.ttl)];
    return this.#scripts.run('confirm', args, replies.fenced);
  }

  beginWork(request: WorkRequest): Promise<BeginWorkResult> {
    const args = [
      ...incarnation(request),
      request.work,
      ms(request.leaseSeconds),
      ...this.#lifetimes(request.ttl),
    ];
    return this.#scripts.run('beginWork', args, replies.beginWorkResult);
  }

  renewWork(request: WorkRequest): Promise<Fenced> {
    const args = [
      ...incarnation(request),
      request.work,
      ms(request.leaseSeconds),
      ...this.#lifetimes(request.ttl),
    ];
    return this.#scripts.run('renewWork', args, replies.fenced);
  }

  endWork(request: Incarnation & { work: WorkId; ttl: Lifetimes }): Promise<Fenced> {
    const args = [...incarnation(request), request.work, ...this.#lifetimes(request.ttl)];
    return this.#scripts.run('endWork', args, replies.fenced);
  }

  async workInFlight(container: ContainerId): Promise<WorkId[]> {
    const ids = await this.#scripts.run('workInFlight', [container], replies.workIds);
    return ids.sort();
  }

  beginDrain(request: DrainRequest): Promise<Fenced | 'busy'> {
    const onlyIdle = request.onlyIdle ? 1 : 0;
    const args = [
      ...incarnation(request),
      onlyIdle,
      request.reason,
      ms(request.leaseSeconds),
      this.#keyTtl(),
      request.lastActiveAt ?? '',
    ];
    return this.#scripts.run('beginDrain', args, replies.beginDrainResult);
  }

  remove(request: Incarnation & { stopSeconds: number }): Promise<Fenced> {
    return this.#scripts.run('remove', [...incarnation(request), ms(request.stopSeconds)], replies.fenced);
  }

  async release(container: ContainerId): Promise<void> {
    await this.#scripts.run('release', [container], replies.released);
  }

  get(tenant: TenantId, conversation: ConversationId): Promise<ConversationRecord | undefined> {
    return this.#scripts.run('get', [tenant, conversation], replies.maybeRecord);
  }

  findByContainer(container: ContainerId): Promise<ConversationRecord | undefined> {
    return this.#scripts.run('findByContainer', [container], replies.maybeRecord);
  }

  async list(tenant: TenantId, { after, status, limit }: PageRequest): Promise<Page> {
    const args = [tenant, after ?? '', status ?? '', limit, idsToLookAt(limit)];
    const [records, next] = await this.#scripts.run('list', args, replies.page);
    return next === undefined ? { records } : { records, next };
  }

  async due(limit: number): Promise<Due> {
    const [reserved, live] = await this.#scripts.run('due', [limit], replies.due);
    return { reserved, live };
  }

  async count(): Promise<{ reserved: number; live: number }> {
    const [reserved, live] = await this.#scripts.run('count', [], replies.counts);
    return { reserved, live };
  }

  async ping(): Promise<void> {
    await this.#connection.call('ping', (client) => client.ping());
  }

  async close(): Promise<void> {
    this.#connection.close();
  }

  #lifetimes(ttl: Lifetimes): number[] {
    return [ms(ttl.idleSeconds), ms(ttl.maxLifetimeSeconds), this.#keyTtl(ttl.maxLifetimeSeconds)];
  }

  #keyTtl(maxLifetimeSeconds = this.#maxLifetimeSeconds): number {
    return 2 * ms(maxLifetimeSeconds);
  }
}

function incarnation({ tenant, conversation, container }: Incarnation): string[] {
  return [tenant, conversation, container];
}

function ms(seconds: number): number {
  return Math.round(seconds * 1_000);
}
