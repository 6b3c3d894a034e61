import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { AgentClient, BinaryOutput } from '../agent-client/agent-client.ts';
import type { ExecEvent, ExecRequest, ExecResult, FileManifest } from '../contracts/agent-protocol.ts';
import type { ConversationRecord } from '../contracts/conversation-record.ts';
import { BerthError } from '../contracts/errors.ts';
import type { ConversationId, TenantId } from '../contracts/ids.ts';
import type { ConversationStore, Incarnation, Page, PageRequest } from '../state/conversation-store.ts';
import type { ActiveWork } from './active-work.ts';
import { type Caller, deleting } from './container-acquisition.ts';
import type { ContainerEnding } from './container-ending.ts';
import { type ConversationSettings, STOP_SECONDS } from './conversation-settings.ts';
import type { ConversationWork } from './conversation-work.ts';

interface Parts {
  store: ConversationStore;
  work: ConversationWork;
  active: ActiveWork;
  ending: ContainerEnding;
  settings: ConversationSettings;
  log: Logger;
}

const DRAIN_POLL_MS = 50;
/** What a container that is being made gets to be ended again. */
const CLEAN_UP_MS = 10_000;

/** What callers can do with conversations. A conversation comes to be at its first use. */
export class Conversations {
  readonly #parts: Parts;
  readonly #deletions = new Set<Promise<void>>();
  #closing = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  exec(caller: Caller, request: ExecRequest, signal: AbortSignal): Promise<ExecResult> {
    return this.#run(caller, 'exec', request.timeout, signal, (agent, until) => agent.exec(request, until));
  }

  /** `consume` gets the events as they come; the work lasts until it returns, which it must when `until` aborts. */
  execStream(
    caller: Caller,
    request: ExecRequest,
    signal: AbortSignal,
    consume: (events: AsyncIterable<ExecEvent>, until: AbortSignal) => Promise<void>,
  ): Promise<void> {
    return this.#run(caller, 'exec', request.timeout, signal, async (agent, until) =>
      consume(await agent.execStream(request, until), until),
    );
  }

  execBinary(
    caller: Caller,
    request: ExecRequest,
    signal: AbortSignal,
    consume: (output: BinaryOutput, until: AbortSignal) => Promise<void>,
  ): Promise<void> {
    return this.#run(caller, 'exec', request.timeout, signal, async (agent, until) =>
      consume(await agent.execBinary(request, until), until),
    );
  }

  async listFiles(caller: Caller, signal: AbortSignal): Promise<FileManifest> {
    await this.#requireLive(caller);
    return this.#run(caller, 'files', undefined, signal, (agent, until) => agent.listFiles(until));
  }

  async readFile(
    caller: Caller,
    path: string,
    signal: AbortSignal,
    consume: (file: { size: number; content: Readable }, until: AbortSignal) => Promise<void>,
  ): Promise<void> {
    await this.#requireLive(caller);
    return this.#run(caller, 'files', undefined, signal, async (agent, until) =>
      consume(await agent.readFile(path, until), until),
    );
  }

  writeFile(caller: Caller, path: string, content: Readable, signal: AbortSignal): Promise<void> {
    return this.#run(caller, 'files', undefined, signal, (agent, until) =>
      agent.writeFile(path, content, until),
    );
  }

  async removeFile(caller: Caller, path: string, signal: AbortSignal): Promise<void> {
    await this.#requireLive(caller);
    return this.#run(caller, 'files', undefined, signal, (agent, until) => agent.removeFile(path, until));
  }

  async get(tenant: TenantId, conversation: ConversationId): Promise<ConversationRecord> {
    const record = await this.#parts.store.get(tenant, conversation);
    if (record === undefined) throw notFound(conversation);
    return record;
  }

  list(tenant: TenantId, page: PageRequest): Promise<Page> {
    return this.#parts.store.list(tenant, page);
  }

  /** Resolves once no new work can begin; waiting for what is in flight, and the end, go on behind. */
  async delete(tenant: TenantId, conversation: ConversationId): Promise<void> {
    const { log } = this.#parts;
    const record = await this.#drain(tenant, conversation);
    const deletion = this.#finishDeletion(record)
      .catch((error) => log.error({ err: error, container_id: record.container }, 'a deletion goes on later'))
      .finally(() => this.#deletions.delete(deletion));
    this.#deletions.add(deletion);
  }

  /** When an operator's limits end it, if nothing is done with it. */
  expiresAt(record: ConversationRecord): number {
    const { idleSeconds, maxLifetimeSeconds } = this.#parts.settings.ttl;
    return Math.min(record.lastActiveAt + idleSeconds * 1000, record.createdAt + maxLifetimeSeconds * 1000);
  }

  /** Takes no new work, waits for what this instance has in flight, cancels what is left after the grace period. */
  async close(): Promise<void> {
    const { active, settings } = this.#parts;
    this.#closing = true;
    if (!(await active.settle(settings.gracePeriod * 1000))) {
      active.cancelAll(shuttingDown());
      await active.settle(CLEAN_UP_MS);
    }
    await Promise.all(this.#deletions);
  }

  /** A preparation is waited for; one that nobody goes on with is ended at once. */
  async #drain(tenant: TenantId, conversation: ConversationId): Promise<ConversationRecord> {
    const { store, ending, settings } = this.#parts;
    const leaseSeconds = settings.gracePeriod + STOP_SECONDS;
    for (;;) {
      if (this.#closing) throw shuttingDown();
      const record = await this.get(tenant, conversation);
      const result = await store.beginDrain({
        ...incarnationOf(record),
        onlyIdle: false,
        reason: 'deleted',
        leaseSeconds,
      });
      if (result === 'done') return record;
      if (record.preparation !== null && record.preparation.until <= (await store.now()))
        await ending.end(record, 0);
      else await sleep(DRAIN_POLL_MS);
    }
  }

  async #finishDeletion(record: ConversationRecord): Promise<void> {
    const { store, active, ending, settings } = this.#parts;
    const giveUp = performance.now() + settings.gracePeriod * 1000;
    while (
      (await store.workInFlight(record.container)).length > 0 &&
      performance.now() < giveUp &&
      !this.#closing
    ) {
      await sleep(DRAIN_POLL_MS);
    }
    active.cancel(record.container, deleting(record));
    await ending.end(record);
  }

  async #run<T>(
    caller: Caller,
    kind: string,
    seconds: number | undefined,
    signal: AbortSignal,
    step: (agent: AgentClient, signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (this.#closing) throw shuttingDown();
    const { work, settings } = this.#parts;
    return work.run(caller, kind, seconds ?? settings.executionTimeout, signal, step);
  }

  /** Reading creates nothing. */
  async #requireLive(caller: Caller): Promise<void> {
    await this.get(caller.tenant, caller.conversation);
  }
}

function incarnationOf({ tenant, conversation, container }: ConversationRecord): Incarnation {
  return { tenant, conversation, container };
}

function notFound(conversation: ConversationId): BerthError {
  return new BerthError('CONVERSATION_NOT_FOUND', `there is no conversation ${conversation}`);
}

function shuttingDown(): BerthError {
  return new BerthError('SHUTTING_DOWN', 'the service is shutting down', { retry_after: 1 });
}
