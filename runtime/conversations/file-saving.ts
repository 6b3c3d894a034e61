import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AgentClients } from '../agent-client/agent-clients.ts';
import { AgentUnreachable } from '../agent-client/agent-failures.ts';
import { BerthError } from '../contracts/errors.ts';
import { type ContainerId, type ConversationId, type TenantId, workId } from '../contracts/ids.ts';
import type { Checkpoint } from '../lifecycle/checkpoint.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import { purgeSaved } from '../saving/purge-saved.ts';
import { restoreFiles } from '../saving/restore-files.ts';
import { type SaveReport, saveFiles } from '../saving/save-files.ts';
import type { ConversationStore, Incarnation } from '../state/conversation-store.ts';
import { type ConversationSettings, WORK_LEASE_SECONDS } from './conversation-settings.ts';
import { FileWatch } from './file-watch.ts';
import { LeaseRenewal } from './lease-renewal.ts';

/** How long the end of an execution waits for its files; then saving goes on behind. */
const END_WAIT_MS = 10_000;

interface Parts {
  store: ConversationStore;
  objects: ObjectStore;
  agents: AgentClients;
  settings: ConversationSettings;
  checkpoint: Checkpoint;
  log: Logger;
  /** A container whose files are older than the saved ones: it must not go on. */
  onStale: (container: Incarnation) => Promise<void>;
  onError: (direction: 'in' | 'out') => void;
  /** Nothing is kept of the conversation any more. */
  onPurged: (owner: { tenant: TenantId; conversation: ConversationId }) => Promise<void>;
}

export type SaveResult =
  /** All but what it tells. */
  | ({ kind: 'saved' } & Pick<SaveReport, 'skipped' | 'truncated'>)
  /** A newer version is saved than the container began with. */
  | { kind: 'stale' }
  /** The container is the conversation's no more, or nothing of it may be saved. */
  | { kind: 'gone' };

interface Turn {
  /** What runs now. */
  current: Promise<SaveResult>;
  /** What was asked for meanwhile: one more, for all who asked. */
  next: Promise<SaveResult> | undefined;
}

/** Keeps conversations' files in the object store: in when a container is prepared, out when they change. */
export class FileSaving {
  readonly #parts: Parts;
  readonly #turns = new Map<ContainerId, Turn>();
  readonly #watches = new Map<ContainerId, FileWatch>();
  readonly #behind = new Set<Promise<unknown>>();
  readonly #hurried = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Into a container that is being prepared, once it has proved to be the one that is meant. */
  async restore(
    container: Incarnation,
    proof: Promise<unknown>,
    signal: AbortSignal,
  ): Promise<string | null> {
    const { objects, agents, onError } = this.#parts;
    try {
      return await restoreFiles(objects, container, agents.of(container.container), { signal, proof });
    } catch (error) {
      await proof; // what it fails with is no failure to restore
      onError('in');
      throw error;
    }
  }

  /** All that is there when this is called, as quiet work of its own. */
  save(container: Incarnation): Promise<SaveResult> {
    return this.#inTurn(container, () => this.#saveAsWork(container));
  }

  /** Of a container on which no work can begin any more. */
  saveDraining(container: Incarnation): Promise<SaveResult> {
    return this.#inTurn(container, () => this.#saveNow(container));
  }

  /** For the end of an execution: waits for a while, then the saving goes on behind. */
  async saveAtEnd(container: Incarnation): Promise<void> {
    await Promise.race([this.#saveBehind(container), sleep(END_WAIT_MS, undefined, { ref: false })]);
  }

  /** Something was done in this container: from now on its files are saved when they change. */
  watch(container: Incarnation): void {
    if (this.#watches.has(container.container)) return;
    const { agents, settings } = this.#parts;
    const watch: FileWatch = new FileWatch({
      open: (signal) => agents.of(container.container).fileChanges(settings.syncExclude, signal),
      settled: () => void this.#saveBehind(container),
      closed: () => {
        if (this.#watches.get(container.container) === watch) this.#watches.delete(container.container);
      },
    });
    this.#watches.set(container.container, watch);
  }

  /** The container is ending. */
  forget(container: ContainerId): void {
    this.#watches.get(container)?.close();
    this.#watches.delete(container);
  }

  /** Nothing is saved of it any more, and what is goes. */
  async purgeDraining(container: Incarnation): Promise<void> {
    for (let turn = this.#turns.get(container.container); turn !== undefined; ) {
      await turn.current.catch(() => undefined);
      turn = this.#turns.get(container.container);
    }
    await this.purge(container.tenant, container.conversation);
  }

  async purge(tenant: TenantId, conversation: ConversationId): Promise<void> {
    const { objects, onPurged } = this.#parts;
    await purgeSaved(objects, { tenant, conversation });
    await onPurged({ tenant, conversation });
  }

  /** What is not saved within this time is given up. */
  hurry(ms: number): void {
    const late = () => this.#hurried.abort(new BerthError('SHUTTING_DOWN', 'the service is shutting down'));
    setTimeout(late, ms).unref();
  }

  /** Saves what had not settled yet, and waits for what goes on behind. */
  async close(): Promise<void> {
    for (const watch of this.#watches.values()) watch.flush();
    for (const container of [...this.#watches.keys()]) this.forget(container);
    await Promise.allSettled(this.#behind);
  }

  /** One at a time for a container; whoever comes while one runs shares the next. */
  #inTurn(incarnation: Incarnation, run: () => Promise<SaveResult>): Promise<SaveResult> {
    const { container } = incarnation;
    const turn = this.#turns.get(container);
    if (turn === undefined) {
      const current = run().finally(() => this.#turns.delete(container));
      this.#turns.set(container, { current, next: undefined });
      return current;
    }
    const again = () => this.#inTurn(incarnation, run);
    turn.next ??= turn.current.then(again, again);
    return turn.next;
  }

  /** One that fails is tried again when the watch next says so. */
  #saveBehind(container: Incarnation): Promise<unknown> {
    const saving: Promise<unknown> = this.save(container)
      .catch((error) => this.#tryLater(container, error))
      .finally(() => this.#behind.delete(saving));
    this.#behind.add(saving);
    return saving;
  }

  async #saveAsWork(container: Incarnation): Promise<SaveResult> {
    const { store, settings } = this.#parts;
    const { tenant, conversation } = container;
    const work = workId('save', randomUUID());
    const lease = { tenant, conversation, container: container.container, work, ttl: settings.ttl };
    const begun = await store.beginWork({ ...lease, leaseSeconds: WORK_LEASE_SECONDS });
    if (begun !== 'done') return begun === 'draining' ? this.#saveNow(container) : { kind: 'gone' };
    using _renewal = new LeaseRenewal(
      WORK_LEASE_SECONDS,
      () => store.renewWork({ ...lease, leaseSeconds: WORK_LEASE_SECONDS }),
      () => undefined, // what is saved is fenced by the manifest's version
    );
    try {
      return await this.#saveNow(container);
    } finally {
      await store.endWork({ ...lease, quiet: true }).catch(() => undefined); // its lease lapses
    }
  }

  async #saveNow(container: Incarnation): Promise<SaveResult> {
    const { store, objects, agents, settings, checkpoint, onStale, onError } = this.#parts;
    const record = await store.get(container.tenant, container.conversation);
    const mayBe = record?.container === container.container && record.status !== 'preparing';
    if (!mayBe || record.drainReason === 'purged') return { kind: 'gone' };
    try {
      const saved = await saveFiles(objects, record, agents.of(record.container), {
        exclude: settings.syncExclude,
        signal: AbortSignal.any([
          this.#hurried.signal,
          AbortSignal.timeout(settings.executionTimeout * 1000),
        ]),
        now: await store.now(),
        checkpoint,
      });
      if (saved.kind === 'stale') {
        await onStale(record);
        return saved;
      }
      const { version } = saved;
      if (version !== null && version !== record.savedVersion) await store.saved({ ...record, version });
      return { kind: 'saved', skipped: saved.skipped, truncated: saved.truncated };
    } catch (error) {
      onError('out');
      throw error;
    }
  }

  #tryLater(container: Incarnation, error: unknown): void {
    const who = { container_id: container.container, tenant: container.tenant };
    // An agent that is gone is found out by who works with it next.
    const level = error instanceof AgentUnreachable ? 'debug' : 'warn';
    this.#parts.log[level]({ err: error, ...who }, 'files could not be saved yet');
    this.#watches.get(container.container)?.changed();
  }
}
