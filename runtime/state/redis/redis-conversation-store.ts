import type { ConversationRecord, Instant } from '../../contracts/conversation-record.ts';
import { BerthError } from '../../contracts/errors.ts';
import {
  type ContainerId,
  type ConversationId,
  executionWork,
  type TenantId,
  type WorkId,
} from '../../contracts/ids.ts';
import type {
  AcquireRequest,
  AcquireResult,
  BeginWorkResult,
  Confirmation,
  ConfirmResult,
  ConversationStore,
  DrainRequest,
  Due,
  ExchangeResult,
  Fenced,
  Incarnation,
  Lifetimes,
  Page,
  PageRequest,
  Place,
  PreparationRequest,
  WorkRequest,
} from '../conversation-store.ts';
import { EXECUTION_GRACE_MS, idsToLookAt } from '../store-limits.ts';
import * as replies from './conversation-replies.ts';
import type { RedisConnection } from './redis-connection.ts';
import { fenced, instant } from './reply-parts.ts';
import { incarnation, lifetimes, ms, recordKeyTtl } from './script-arguments.ts';
import type { ScriptRunner } from './script-runner.ts';

export interface RedisConversationStoreParts {
  connection: RedisConnection;
  scripts: ScriptRunner;
  /** For the backstop of records that are written where nobody says their lifetime. */
  maxLifetimeSeconds: number;
}

/** The state of conversations in Redis: each operation is the Lua script of its name. */
export class RedisConversationStore implements ConversationStore {
  readonly #connection: RedisConnection;
  readonly #scripts: ScriptRunner;
  readonly #keyTtl: number;

  constructor({ connection, scripts, maxLifetimeSeconds }: RedisConversationStoreParts) {
    this.#connection = connection;
    this.#scripts = scripts;
    this.#keyTtl = recordKeyTtl(maxLifetimeSeconds);
  }

  now(): Promise<Instant> {
    return this.#scripts.run('now', [], instant);
  }

  async acquire(request: AcquireRequest): Promise<AcquireResult> {
    const { tenant, conversation, newContainer } = request;
    const args = [
      ...[tenant, conversation, newContainer, request.manager, request.owner],
      ...[ms(request.leaseSeconds), request.maxContainers, request.tenantLimit ?? ''],
      ...workToBegin(request.work),
    ];
    const reply = await this.#scripts.run('acquire', args, replies.acquired);
    switch (reply[0]) {
      case 'container-taken':
        throw new BerthError('INTERNAL', `The container id ${newContainer} is taken already.`);
      case 'other-request':
        return { kind: 'other-request' };
      case 'known': {
        const execution = request.work.execution?.id;
        if (execution === undefined)
          throw new BerthError('INTERNAL', 'An execution is known that none asked for.');
        return { kind: 'known', execution: { tenant, conversation, execution, ...reply[1] } };
      }
      case 'locked':
        return { kind: 'locked', execution: reply[1] };
      case 'no-room':
      case 'over-quota':
      case 'over-executions':
        return { kind: reply[0], limit: reply[1], used: reply[2] };
      default:
        return { kind: reply[0], record: reply[1] };
    }
  }

  renewPreparation(request: PreparationRequest): Promise<Fenced> {
    const args = [...incarnation(request), request.owner, ms(request.leaseSeconds), this.#keyTtl];
    return this.#scripts.run('renewPreparation', args, fenced);
  }

  async exchange(request: PreparationRequest & { starter: string }): Promise<ExchangeResult> {
    const args = [...incarnation(request), request.owner, ms(request.leaseSeconds), this.#keyTtl];
    const reply = await this.#scripts.run('exchange', [...args, request.starter], replies.exchanged);
    return reply[0] === 'claimed' ? { kind: 'claimed', record: reply[1] } : { kind: reply[0] };
  }

  bind(request: PreparationRequest): Promise<Fenced> {
    const args = [...incarnation(request), request.owner, ms(request.leaseSeconds), this.#keyTtl];
    return this.#scripts.run('bind', args, fenced);
  }

  async confirm(request: Confirmation): Promise<ConfirmResult> {
    const args = [
      ...[...incarnation(request), request.owner, ...lifetimes(request.ttl)],
      ...(request.work === undefined ? [] : workToBegin(request.work)),
    ];
    const [kind, record] = await this.#scripts.run('confirm', args, replies.confirmed);
    return kind === 'live' ? { kind, record } : { kind };
  }

  beginWork(request: WorkRequest): Promise<BeginWorkResult> {
    return this.#scripts.run('beginWork', workArguments(request), replies.beginWorkResult);
  }

  renewWork(request: WorkRequest): Promise<Fenced> {
    return this.#scripts.run('renewWork', workArguments(request), fenced);
  }

  endWork(request: Incarnation & { work: WorkId; ttl: Lifetimes; quiet?: boolean }): Promise<Fenced> {
    const args = [...incarnation(request), request.work, ...lifetimes(request.ttl), request.quiet ? 1 : 0];
    return this.#scripts.run('endWork', args, fenced);
  }

  saved(request: Incarnation & { version: string }): Promise<Fenced> {
    const args = [...incarnation(request), request.version, this.#keyTtl];
    return this.#scripts.run('saved', args, fenced);
  }

  postpone(request: Incarnation & { seconds: number }): Promise<Fenced> {
    return this.#scripts.run('postpone', [...incarnation(request), ms(request.seconds)], fenced);
  }

  async workInFlight(container: ContainerId): Promise<WorkId[]> {
    const ids = await this.#scripts.run('workInFlight', [container], replies.workIds);
    return ids.sort();
  }

  beginDrain(request: DrainRequest): Promise<Fenced | 'busy'> {
    const args = [
      ...[...incarnation(request), request.onlyIdle ? 1 : 0, request.reason],
      ...[ms(request.leaseSeconds), this.#keyTtl, request.lastActiveAt ?? ''],
    ];
    return this.#scripts.run('beginDrain', args, replies.beginDrainResult);
  }

  remove(request: Incarnation & { stopSeconds: number }): Promise<Fenced> {
    return this.#scripts.run('remove', [...incarnation(request), ms(request.stopSeconds)], fenced);
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

  async places(containers: ContainerId[]): Promise<Map<ContainerId, Place>> {
    const places = await this.#scripts.run('places', containers, replies.places);
    const found = new Map<ContainerId, Place>();
    for (const [index, container] of containers.entries()) {
      const place = places[index];
      if (place) found.set(container, place);
    }
    return found;
  }

  async scan(
    cursor: string | undefined,
    limit: number,
  ): Promise<{ records: ConversationRecord[]; next?: string }> {
    const [records, next] = await this.#scripts.run('scan', [cursor ?? '0', limit], replies.scanned);
    return next === undefined ? { records } : { records, next };
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

  async count(): Promise<{ reserved: number; live: number; warm: number }> {
    const [reserved, live, warm] = await this.#scripts.run('count', [], replies.counts);
    return { reserved, live, warm };
  }

  async ping(): Promise<void> {
    await this.#connection.call('ping', (client) => client.ping());
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}

/** As work_asked_for in execution-rules.lua takes it. */
function workToBegin({ id, leaseSeconds, ttl, execution }: AcquireRequest['work']): (string | number)[] {
  if (execution === undefined) return [id, ms(leaseSeconds), ...lifetimes(ttl), ''];
  const runs = ms(execution.seconds);
  return [
    ...[executionWork(execution.id), runs + EXECUTION_GRACE_MS, ...lifetimes(ttl)],
    ...[execution.id, execution.bodyHash, runs, execution.onDisconnect],
    ...[execution.relay, ms(execution.relaySeconds), execution.tenantLimit ?? ''],
  ];
}

function workArguments(request: WorkRequest): (string | number)[] {
  return [...incarnation(request), request.work, ms(request.leaseSeconds), ...lifetimes(request.ttl)];
}
