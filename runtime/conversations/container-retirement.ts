import type { Logger } from 'pino';
import { AgentMisbehaved, AgentUnreachable } from '../agent-client/agent-failures.ts';
import type { ConversationRecord, Instant } from '../contracts/conversation-record.ts';
import type { Checkpoint } from '../lifecycle/checkpoint.ts';
import type { ConversationStore } from '../state/conversation-store.ts';
import type { ContainerEnding } from './container-ending.ts';
import { type ConversationSettings, DRAIN_LEASE_SECONDS } from './conversation-settings.ts';
import type { CrashRecovery } from './crash-recovery.ts';
import type { FileSaving } from './file-saving.ts';
import { LeaseRenewal } from './lease-renewal.ts';

/** How long past its longest life a container is kept because its files can't be saved. */
const UNSAVED_SECONDS = 3_600;
const TRY_AGAIN_SECONDS = 60;

interface Parts {
  store: ConversationStore;
  saving: FileSaving;
  ending: ContainerEnding;
  recovery: CrashRecovery;
  settings: ConversationSettings;
  checkpoint: Checkpoint;
  log: Logger;
  onUnsaved: (record: ConversationRecord) => void;
}

/** The planned end of a container: nothing new begins on it, its files are saved, then it goes. */
export class ContainerRetirement {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Ends it if nothing is in flight on it and nothing was done since the record was read; else it stays. Its files
   * are saved before it is drained: a save that fails leaves it usable, and is tried again later.
   */
  async retire(record: ConversationRecord): Promise<void> {
    const { store } = this.#parts;
    if ((await store.workInFlight(record.container)).length > 0) return;
    if (!(await this.#savedOrTooLate(record, 'quiet work'))) return;
    const drained = await store.beginDrain({
      ...record,
      onlyIdle: true,
      reason: 'expired',
      leaseSeconds: DRAIN_LEASE_SECONDS,
    });
    if (drained === 'done') await this.finish({ ...record, status: 'draining', drainReason: 'expired' });
  }

  /** Nobody else takes the drain up until this is disposed. */
  hold(record: ConversationRecord): Disposable {
    const { store } = this.#parts;
    const reason = record.drainReason ?? 'expired';
    return new LeaseRenewal(
      DRAIN_LEASE_SECONDS,
      async () => {
        const { tenant, conversation, container } = record;
        const lease = {
          tenant,
          conversation,
          container,
          onlyIdle: false,
          reason,
          leaseSeconds: DRAIN_LEASE_SECONDS,
        };
        return (await store.beginDrain(lease)) === 'done' ? 'done' : 'stale';
      },
      () => undefined, // it has ended; every step of ours is fenced
    );
  }

  /** Goes on with a drain: saves once more, and ends it. Of one that can't be saved yet the drain goes on later. */
  async finish(record: ConversationRecord): Promise<void> {
    const { saving, ending, checkpoint } = this.#parts;
    using _drain = this.hold(record);
    await checkpoint('end.drained');
    if (record.drainReason === 'purged') {
      await saving.purgeDraining(record);
    } else if (record.drainReason !== 'unhealthy' && !(await this.#savedOrTooLate(record, 'draining'))) {
      return;
    }
    await checkpoint('end.saved');
    await ending.end(record);
  }

  /** False: it has to be tried again, and is put off. */
  async #savedOrTooLate(record: ConversationRecord, how: 'quiet work' | 'draining'): Promise<boolean> {
    const { store, saving, log, onUnsaved } = this.#parts;
    try {
      await (how === 'draining' ? saving.saveDraining(record) : saving.save(record));
      return true;
    } catch (error) {
      const who = { container_id: record.container, tenant: record.tenant };
      if (await this.#isLost(record, error)) return false;
      if (this.#isTooLate(record, await store.now())) {
        onUnsaved(record);
        log.error({ err: error, ...who }, 'a container goes without its files being saved');
        return true;
      }
      log.warn({ err: error, ...who }, 'files could not be saved: the container stays for now');
      await store.postpone({ ...record, seconds: TRY_AGAIN_SECONDS });
      return false;
    }
  }

  /** From a dead container nothing can be saved, now or later: it is ended as what it is. */
  async #isLost(record: ConversationRecord, error: unknown): Promise<boolean> {
    if (!(error instanceof AgentUnreachable || error instanceof AgentMisbehaved)) return false;
    const { recovery, onUnsaved } = this.#parts;
    const diagnosis = await recovery.examine(record, error);
    if (diagnosis.kind !== 'lost') return false;
    onUnsaved(record);
    await recovery.bury(record, diagnosis);
    return true;
  }

  #isTooLate({ createdAt }: ConversationRecord, now: Instant): boolean {
    return createdAt + (this.#parts.settings.ttl.maxLifetimeSeconds + UNSAVED_SECONDS) * 1000 <= now;
  }
}
