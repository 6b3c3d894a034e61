import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ConversationRecord } from '../contracts/conversation-record.ts';
import { BerthError } from '../contracts/errors.ts';
import {
  type ConversationId,
  conversationContainerId,
  type TenantId,
  type WorkId,
} from '../contracts/ids.ts';
import type { AcquireRequest, ConversationStore } from '../state/conversation-store.ts';
import type { ContainerEnding } from './container-ending.ts';
import type { ContainerPreparation } from './container-preparation.ts';
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
}

const WAIT_SECONDS = 120;
const POLL_MS = 50;
const RETRY_AFTER_SECONDS = 5;

/** Gets a conversation its one live container, with work begun on it. */
export class ContainerAcquisition {
  readonly #store: ConversationStore;
  readonly #preparation: ContainerPreparation;
  readonly #ending: ContainerEnding;
  readonly #settings: ConversationSettings;
  readonly #instance: string;

  constructor(parts: {
    store: ConversationStore;
    preparation: ContainerPreparation;
    ending: ContainerEnding;
    settings: ConversationSettings;
    instance: string;
  }) {
    this.#store = parts.store;
    this.#preparation = parts.preparation;
    this.#ending = parts.ending;
    this.#settings = parts.settings;
    this.#instance = parts.instance;
  }

  async acquire(caller: Caller, work: WorkId, signal: AbortSignal): Promise<ConversationRecord> {
    const giveUp = performance.now() + WAIT_SECONDS * 1000;
    for (;;) {
      signal.throwIfAborted();
      const request = this.#request(caller, work);
      const result = await this.#store.acquire(request);
      switch (result.kind) {
        case 'live':
          return result.record;
        case 'reserved':
          await this.#preparation.prepare(result.record, request.owner, signal);
          continue;
        case 'draining':
          if (result.record.drainReason === 'deleted') throw deleting(caller);
          // Past its longest life it takes no new work: it goes as soon as what is in flight has ended.
          if (result.record.status !== 'draining') await this.#ending.retire(result.record);
          break;
        case 'preparing':
          break;
        case 'no-room':
          throw new BerthError('CAPACITY_EXCEEDED', `all ${result.limit} containers are in use`, {
            limit: result.limit,
            used: result.used,
            retry_after: RETRY_AFTER_SECONDS,
          });
        case 'over-quota':
          throw new BerthError(
            'QUOTA_EXCEEDED',
            `this tenant has ${result.used} of ${result.limit} conversations`,
            {
              limit: result.limit,
              used: result.used,
              retry_after: RETRY_AFTER_SECONDS,
            },
          );
      }
      if (performance.now() > giveUp) {
        throw new BerthError('START_TIMEOUT', `the container was not ready within ${WAIT_SECONDS} s`);
      }
      await sleep(POLL_MS, undefined, { signal });
    }
  }

  #request(caller: Caller, work: WorkId): AcquireRequest {
    return {
      tenant: caller.tenant,
      conversation: caller.conversation,
      newContainer: conversationContainerId(randomUUID()),
      manager: this.#settings.backend,
      owner: `${this.#instance}/${randomUUID()}`,
      leaseSeconds: PREPARATION_LEASE_SECONDS,
      maxContainers: this.#settings.maxContainers,
      work: { id: work, leaseSeconds: WORK_LEASE_SECONDS, ttl: this.#settings.ttl },
      ...(caller.conversationLimit === undefined ? {} : { tenantLimit: caller.conversationLimit }),
    };
  }
}

export function deleting(caller: { conversation: ConversationId }): BerthError {
  return new BerthError('CONVERSATION_DRAINING', `conversation ${caller.conversation} is being deleted`, {
    retry_after: RETRY_AFTER_SECONDS,
  });
}
