import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConversationRecord } from '../contracts/conversation-record.ts';
import { BerthError } from '../contracts/errors.ts';
import type { ExecutionRecord } from '../contracts/execution-record.ts';
import {
  type ConversationId,
  conversationContainerId,
  type ExecutionId,
  type TenantId,
  type WorkId,
} from '../contracts/ids.ts';
import { AdoptionNeeded } from '../state/adoption-store.ts';
import type {
  AcquireRequest,
  AcquireResult,
  ConversationStore,
  ExecutionStart,
} from '../state/conversation-store.ts';
import { deleting, isDeleted } from './being-deleted.ts';
import type { ContainerPreparation, Prepared } from './container-preparation.ts';
import type { ContainerRetirement } from './container-retirement.ts';
import {
  type ConversationSettings,
  PREPARATION_LEASE_SECONDS,
  WORK_LEASE_SECONDS,
} from './conversation-settings.ts';

/** Whose conversation is meant, and how many its key allows. */
export interface Caller {
  tenant: TenantId;
  conversation: ConversationId;
  conversationLimit?: number;
  executionLimit?: number;
}

/** Where a container came from: the conversation's own, the warm pool, or made for it. */
export type ContainerSource = 'existing' | 'warm' | 'cold';

export interface Acquired {
  record: ConversationRecord;
  source: ContainerSource;
  /** The pool was empty when it was asked. */
  exhausted: boolean;
  /** How long it took. */
  seconds: number;
  /** When the work began at the earliest, by `performance.now()`. */
  askedAt: number;
}

const WAIT_SECONDS = 120;
const POLL_MS = 50;
const RETRY_AFTER_SECONDS = 5;

interface Parts {
  store: ConversationStore;
  preparation: ContainerPreparation;
  retirement: ContainerRetirement;
  settings: ConversationSettings;
  /** Rebuilds a store that lost what it knew. */
  adoption: { run(): Promise<void> };
  instance: string;
  /** A conversation has a container now; one that was new has been taken from the pool, or found it empty. */
  onAcquired: (acquired: Acquired) => void;
}

/** Gets a conversation its one live container, with work begun on it. */
export class ContainerAcquisition {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async acquire(caller: Caller, work: WorkId, signal: AbortSignal): Promise<Acquired> {
    const acquired = await this.#acquire(caller, work, undefined, signal);
    if ('record' in acquired) return acquired;
    throw new Error('work that is no execution cannot be known');
  }

  /** Begins an execution, or tells which one was begun by the same request before. */
  acquireForExecution(
    caller: Caller,
    work: WorkId,
    execution: ExecutionStart,
    signal: AbortSignal,
  ): Promise<Acquired | { known: ExecutionRecord }> {
    return this.#acquire(caller, work, execution, signal);
  }

  async #acquire(
    caller: Caller,
    work: WorkId,
    execution: ExecutionStart | undefined,
    signal: AbortSignal,
  ): Promise<Acquired | { known: ExecutionRecord }> {
    const { preparation, retirement, onAcquired } = this.#parts;
    const started = performance.now();
    let source: ContainerSource = 'existing';
    let exhausted = false;
    let prepared: Prepared | undefined;
    const acquired = (record: ConversationRecord, askedAt: number): Acquired => {
      const result = { record, source, exhausted, seconds: (performance.now() - started) / 1000, askedAt };
      onAcquired(result);
      return result;
    };
    for (;;) {
      signal.throwIfAborted();
      const request = this.#request(caller, work, execution);
      const askedAt = performance.now();
      const result = await this.#ask(request);
      switch (result.kind) {
        case 'live':
          return acquired(result.record, askedAt);
        case 'known':
          return { known: result.execution };
        case 'claimed':
          // A member that turns out dead is replaced by the next, or by a new one.
          prepared = await preparation.prepareWarm(result.record, request, signal);
          if (prepared !== undefined) source = 'warm';
          if (prepared?.begun !== undefined) return acquired(prepared.begun, askedAt);
          continue;
        case 'reserved': {
          const own = await preparation.prepareCold(result.record, request, signal);
          exhausted = true;
          if ('instead' in own) {
            prepared = await preparation.prepareWarm(own.instead, request, signal);
            if (prepared !== undefined) source = 'warm';
          } else {
            prepared = own;
            source = 'cold';
          }
          if (prepared?.begun !== undefined) return acquired(prepared.begun, askedAt);
          continue;
        }
        case 'draining':
          if (isDeleted(result.record)) throw deleting(caller);
          // Past its longest life it takes no new work: it goes as soon as what is in flight has ended.
          if (result.record.status !== 'draining') await retirement.retire(result.record);
          break;
        case 'preparing':
        case 'adopting':
          break;
        default:
          throw refusal(result, caller);
      }
      if (performance.now() - started > WAIT_SECONDS * 1000) {
        throw new BerthError('START_TIMEOUT', `the container was not ready within ${WAIT_SECONDS} s`);
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  async #ask(request: AcquireRequest): Promise<AcquireResult | { kind: 'adopting' }> {
    const { store, adoption } = this.#parts;
    try {
      return await store.acquire(request);
    } catch (error) {
      if (!(error instanceof AdoptionNeeded)) throw error;
      await adoption.run();
      return { kind: 'adopting' };
    }
  }

  #request(caller: Caller, work: WorkId, execution: ExecutionStart | undefined): AcquireRequest {
    const { settings, instance } = this.#parts;
    return {
      tenant: caller.tenant,
      conversation: caller.conversation,
      newContainer: conversationContainerId(randomUUID()),
      manager: settings.backend,
      owner: `${instance}/${randomUUID()}`,
      leaseSeconds: PREPARATION_LEASE_SECONDS,
      maxContainers: settings.maxContainers,
      work: {
        id: work,
        leaseSeconds: WORK_LEASE_SECONDS,
        ttl: settings.ttl,
        ...(execution === undefined ? {} : { execution }),
      },
      ...(caller.conversationLimit === undefined ? {} : { tenantLimit: caller.conversationLimit }),
    };
  }
}

type Refusal = Extract<
  AcquireResult,
  { kind: 'no-room' | 'over-quota' | 'over-executions' | 'other-request' | 'locked' }
>;

function refusal(result: Refusal, { conversation }: Caller): BerthError {
  switch (result.kind) {
    case 'locked':
      return locked(conversation, result.execution);
    case 'other-request':
      return new BerthError('IDEMPOTENCY_CONFLICT', 'this Idempotency-Key was used with another body');
    case 'no-room':
      return tooMany('CAPACITY_EXCEEDED', `all ${result.limit} containers are in use`, result);
    case 'over-quota':
      return tooMany(
        'QUOTA_EXCEEDED',
        `this tenant has ${result.used} of ${result.limit} conversations`,
        result,
      );
    case 'over-executions':
      return tooMany(
        'QUOTA_EXCEEDED',
        `this tenant runs ${result.used} of ${result.limit} executions`,
        result,
      );
  }
}

function tooMany(
  code: 'CAPACITY_EXCEEDED' | 'QUOTA_EXCEEDED',
  detail: string,
  { limit, used }: { limit: number; used: number },
): BerthError {
  return new BerthError(code, detail, { limit, used, retry_after: RETRY_AFTER_SECONDS });
}

function locked(conversation: ConversationId, execution: ExecutionId): BerthError {
  return new BerthError(
    'CONVERSATION_LOCKED',
    `execution ${execution} runs in conversation ${conversation}`,
    {
      execution_id: execution,
    },
  );
}
