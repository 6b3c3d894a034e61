import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ConversationRecord } from '../contracts/conversation-record.ts';
import {
  type ContainerId,
  type ConversationId,
  executionOfWork,
  isViewingWork,
  type TenantId,
} from '../contracts/ids.ts';
import type { ConversationStore, Incarnation } from '../state/conversation-store.ts';
import { allRecords } from '../sweep/all-records.ts';
import { sideBySide } from '../sweep/side-by-side.ts';
import type { ActiveWork } from './active-work.ts';
import { deleting } from './being-deleted.ts';
import type { ContainerEnding } from './container-ending.ts';
import type { ContainerRetirement } from './container-retirement.ts';
import { type ConversationSettings, DRAIN_LEASE_SECONDS } from './conversation-settings.ts';
import type { Executions } from './executions/executions.ts';
import type { FileSaving } from './file-saving.ts';
import type { SavedFiles } from './saved-files.ts';

const POLL_MS = 50;
const ENDED_AT_ONCE = 8;
/** What executions get to end once they are cancelled. */
const CANCEL_MS = 15_000;

interface Parts {
  store: ConversationStore;
  active: ActiveWork;
  executions: Executions;
  saving: FileSaving;
  saved: Pick<SavedFiles, 'isAnything'>;
  ending: ContainerEnding;
  retirement: ContainerRetirement;
  settings: ConversationSettings;
  log: Logger;
}

/** Ends conversations because someone says so: their work is waited for, then cancelled; files saved, container gone. */
export class ConversationRemoval {
  readonly #parts: Parts;
  readonly #underWay = new Set<Promise<void>>();
  #hurried = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Resolves once no new work can begin; the rest goes on behind. `purge`: the saved files go, and nothing is saved.
   * False: there is nothing to remove.
   */
  async remove(tenant: TenantId, conversation: ConversationId, purge: boolean): Promise<boolean> {
    const { saving, saved, log } = this.#parts;
    const record = await this.#drain(tenant, conversation, purge ? 'purged' : 'deleted');
    if (record === undefined) {
      if (!purge || !(await saved.isAnything({ tenant, conversation }))) return false;
      await saving.purge(tenant, conversation);
      return true;
    }
    const removal = this.#finish(record)
      .catch((error) => log.error({ err: error, container_id: record.container }, 'a deletion goes on later'))
      .finally(() => this.#underWay.delete(removal));
    this.#underWay.add(removal);
    return true;
  }

  /** Work is not waited for any more. */
  hurry(): void {
    this.#hurried = true;
  }

  /** Resolves once every removal that was asked for here is over, or put off. */
  async over(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  /**
   * Ends every conversation's container, files saved first: for an instance that shares them with no other. Resolves
   * with those that could not be saved, and so were not ended.
   */
  async endAll(): Promise<Set<ContainerId>> {
    const { store, retirement, log } = this.#parts;
    await sideBySide(ENDED_AT_ONCE, allRecords(store), async (record) => {
      if (record.preparation !== null) return; // it is never saved from
      try {
        const lease = { onlyIdle: false, reason: 'expired', leaseSeconds: DRAIN_LEASE_SECONDS } as const;
        await store.beginDrain({ ...incarnationOf(record), ...lease });
        await retirement.finish({
          ...record,
          status: 'draining',
          drainReason: record.drainReason ?? 'expired',
        });
      } catch (error) {
        log.warn({ err: error, container_id: record.container }, 'a container could not be ended');
      }
    });
    const left = new Set<ContainerId>();
    for await (const { container, preparation } of allRecords(store))
      if (preparation === null) left.add(container);
    return left;
  }

  /** Undefined: it has no container. A preparation is waited for; one that nobody goes on with is ended at once. */
  async #drain(
    tenant: TenantId,
    conversation: ConversationId,
    reason: 'deleted' | 'purged',
  ): Promise<ConversationRecord | undefined> {
    const { store, ending } = this.#parts;
    const leaseSeconds = DRAIN_LEASE_SECONDS;
    for (;;) {
      const record = await store.get(tenant, conversation);
      if (record === undefined) return undefined;
      const result = await store.beginDrain({
        ...incarnationOf(record),
        onlyIdle: false,
        reason,
        leaseSeconds,
      });
      if (result === 'done') return { ...record, status: 'draining', drainReason: reason };
      if (record.preparation !== null && record.preparation.until <= (await store.now()))
        await ending.end(record, 0);
      else await sleep(POLL_MS);
    }
  }

  async #finish(record: ConversationRecord): Promise<void> {
    const { active, retirement, settings } = this.#parts;
    using _drain = retirement.hold(record);
    await this.#workEnds(record, settings.gracePeriod * 1000);
    await this.#cancelExecutions(record);
    active.cancel(record.container, deleting(record));
    await retirement.finish(record);
  }

  /** Whichever instance relays them: they end with `cancelled`, and that is waited for. */
  async #cancelExecutions(record: ConversationRecord): Promise<void> {
    const { store, executions } = this.#parts;
    const { tenant, conversation, container } = record;
    const running = (await store.workInFlight(container)).flatMap((work) => executionOfWork(work) ?? []);
    if (running.length === 0) return;
    await Promise.all(
      running.map((execution) =>
        executions.cancel({ tenant, conversation, execution }).catch(() => undefined),
      ),
    );
    await this.#workEnds(record, CANCEL_MS);
  }

  async #workEnds({ container }: ConversationRecord, ms: number): Promise<void> {
    const giveUp = performance.now() + ms;
    while (!this.#hurried && performance.now() < giveUp) {
      if ((await this.#parts.store.workInFlight(container)).every(isViewingWork)) return;
      await sleep(POLL_MS);
    }
  }
}

function incarnationOf({ tenant, conversation, container }: ConversationRecord): Incarnation {
  return { tenant, conversation, container };
}
