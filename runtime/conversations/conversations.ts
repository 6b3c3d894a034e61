import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentClient, BinaryOutput } from '../agent-client/agent-client.ts';
import type { ExecEvent, ExecRequest, ExecResult, FileManifest } from '../contracts/agent-protocol.ts';
import type { ConversationRecord } from '../contracts/conversation-record.ts';
import { BerthError } from '../contracts/errors.ts';
import type { ConversationId, TenantId } from '../contracts/ids.ts';
import type { ConversationStore, Page, PageRequest } from '../state/conversation-store.ts';
import type { ActiveWork } from './active-work.ts';
import type { Caller } from './container-acquisition.ts';
import type { ConversationRemoval } from './conversation-removal.ts';
import type { ConversationSettings } from './conversation-settings.ts';
import type { ConversationWork } from './conversation-work.ts';
import { excludedPart } from './excluded-part.ts';
import type { Executions } from './executions/executions.ts';
import type { FileSaving } from './file-saving.ts';
import type { FileContent, SavedFiles } from './saved-files.ts';
import { shuttingDown } from './shutting-down.ts';

interface Parts {
  store: ConversationStore;
  work: ConversationWork;
  active: ActiveWork;
  executions: Executions;
  saving: FileSaving;
  saved: SavedFiles;
  removal: ConversationRemoval;
  settings: ConversationSettings;
}

/** What a container that is being made gets to be ended again. */
const CLEAN_UP_MS = 10_000;

/** What callers can do with conversations. A conversation comes to be at its first use. */
export class Conversations {
  readonly #parts: Parts;
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

  /** Without a container they are those that are saved. */
  async listFiles(caller: Caller, signal: AbortSignal): Promise<FileManifest> {
    if (await this.#hasContainer(caller)) {
      return this.#run(caller, 'files', undefined, signal, (agent, until) => agent.listFiles(until));
    }
    const saved = await this.#parts.saved.list(caller);
    if (saved === undefined) throw notFound(caller.conversation);
    return saved;
  }

  async readFile(
    caller: Caller,
    path: string,
    signal: AbortSignal,
    consume: (file: FileContent, until: AbortSignal) => Promise<void>,
  ): Promise<void> {
    if (await this.#hasContainer(caller)) {
      return this.#run(caller, 'files', undefined, signal, async (agent, until) =>
        consume(await agent.readFile(path, until), until),
      );
    }
    const { saved } = this.#parts;
    const file = await saved.read(caller, path);
    if (file !== undefined) return consume(file, signal);
    if ((await saved.list(caller)) === undefined) throw notFound(caller.conversation);
    throw new BerthError('FILE_NOT_FOUND', `no file ${path} is saved`);
  }

  /** `durable`: resolves once it is saved. */
  async writeFile(
    caller: Caller,
    path: string,
    content: Readable,
    durable: boolean,
    signal: AbortSignal,
  ): Promise<void> {
    if (durable) this.#requireSavable(path);
    return this.#run(caller, 'files', undefined, signal, async (agent, until, record) => {
      await agent.writeFile(path, content, until);
      if (durable) await this.#save(record, path);
    });
  }

  async removeFile(caller: Caller, path: string, durable: boolean, signal: AbortSignal): Promise<void> {
    const known = (await this.#hasContainer(caller)) || (await this.#parts.saved.list(caller)) !== undefined;
    if (!known) throw notFound(caller.conversation);
    return this.#run(caller, 'files', undefined, signal, async (agent, until, record) => {
      await agent.removeFile(path, until);
      if (durable) await this.#save(record, path);
    });
  }

  async get(tenant: TenantId, conversation: ConversationId): Promise<ConversationRecord> {
    const record = await this.#parts.store.get(tenant, conversation);
    if (record === undefined) throw notFound(conversation);
    return record;
  }

  list(tenant: TenantId, page: PageRequest): Promise<Page> {
    return this.#parts.store.list(tenant, page);
  }

  /** Resolves once no new work can begin; the end goes on behind. `purge`: the saved files go too. */
  async delete(tenant: TenantId, conversation: ConversationId, purge: boolean): Promise<void> {
    if (this.#closing) throw shuttingDown();
    if (!(await this.#parts.removal.remove(tenant, conversation, purge))) throw notFound(conversation);
  }

  /** When an operator's limits end it, if nothing is done with it. */
  expiresAt(record: ConversationRecord): number {
    const { idleSeconds, maxLifetimeSeconds } = this.#parts.settings.ttl;
    return Math.min(record.lastActiveAt + idleSeconds * 1000, record.createdAt + maxLifetimeSeconds * 1000);
  }

  /**
   * Takes no new work and waits for what this instance has in flight. What is left after the grace period is
   * cancelled; executions are left to other instances where there are any (`handOver`).
   */
  async close({ handOver }: { handOver: boolean }): Promise<void> {
    const { active, executions, removal, saving, settings } = this.#parts;
    this.#closing = true;
    executions.close();
    removal.hurry();
    saving.hurry(settings.gracePeriod * 1000 + CLEAN_UP_MS);
    const giveUp = performance.now() + settings.gracePeriod * 1000;
    const settled = await Promise.all([
      active.settle(settings.gracePeriod * 1000),
      within(settings.gracePeriod * 1000, executions.settle()),
    ]);
    if (settled.includes(false)) {
      active.cancelAll(shuttingDown());
      if (handOver) executions.handOver();
      else await executions.cancelAll();
      await Promise.all([active.settle(CLEAN_UP_MS), within(CLEAN_UP_MS, executions.settle())]);
    }
    await within(Math.max(CLEAN_UP_MS, giveUp - performance.now()), removal.over());
    await within(CLEAN_UP_MS, saving.close());
  }

  async #run<T>(
    caller: Caller,
    kind: string,
    seconds: number | undefined,
    signal: AbortSignal,
    step: (agent: AgentClient, signal: AbortSignal, record: ConversationRecord) => Promise<T>,
  ): Promise<T> {
    if (this.#closing) throw shuttingDown();
    const { work, settings } = this.#parts;
    return work.run(caller, kind, seconds ?? settings.executionTimeout, signal, step);
  }

  /** Reading creates none. */
  async #hasContainer({ tenant, conversation }: Caller): Promise<boolean> {
    return (await this.#parts.store.get(tenant, conversation)) !== undefined;
  }

  #requireSavable(path: string): void {
    const name = excludedPart(path, this.#parts.settings.syncExclude);
    if (name === undefined) return;
    throw new BerthError(
      'INVALID_PATH',
      `${path} can't be durable: ${name} is among the names that are not saved`,
    );
  }

  /** Throws unless what was done to this file is saved. */
  async #save(record: ConversationRecord, path: string): Promise<void> {
    const result = await this.#parts.saving.save(record);
    if (result.kind !== 'saved') {
      throw new BerthError('CONTAINER_CRASHED', 'the container was replaced before the file could be saved');
    }
    const skipped = result.skipped.find((each) => each.path === path);
    const why = skipped?.reason ?? (result.truncated ? 'there are more files than can be saved' : undefined);
    if (why !== undefined) throw new BerthError('INVALID_PATH', `${path} is changed, but not saved: ${why}`);
  }
}

/** Whether it is over within this time. */
async function within(ms: number, work: Promise<unknown>): Promise<boolean> {
  const late = new AbortController();
  const over = await Promise.race([
    work.then(() => true),
    sleep(ms, false, { signal: late.signal }).catch(() => false),
  ]);
  late.abort();
  return over;
}

function notFound(conversation: ConversationId): BerthError {
  return new BerthError('CONVERSATION_NOT_FOUND', `there is no conversation ${conversation}`);
}
