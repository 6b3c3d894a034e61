import type { Instant } from '../../contracts/conversation-record.ts';
import type { ExecutionName, ExecutionRecord } from '../../contracts/execution-record.ts';
import { type ConversationId, executionWork, type TenantId } from '../../contracts/ids.ts';
import type { Fenced, Lifetimes } from '../conversation-store.ts';
import type {
  AppendRequest,
  ExecutionStore,
  FinishRequest,
  LogEntry,
  LoggedEvents,
  RelayRequest,
  TakeRelayResult,
} from '../execution-store.ts';
import { checkEntries } from '../log-entries.ts';
import {
  executionNameOf,
  lastEvent,
  MemoryExecutions,
  onlyName,
  plainExecution,
} from './memory-executions.ts';
import { MemoryRecords, ms } from './memory-records.ts';
import { type MemoryState, nameOf, type StoredExecution } from './memory-state.ts';

/** Executions and their logs in this process. */
export class MemoryExecutionStore implements ExecutionStore {
  readonly #state: MemoryState;
  readonly #clock: { now(): Instant };

  constructor(state: MemoryState, clock: { now(): Instant }) {
    this.#state = state;
    this.#clock = clock;
  }

  async get(name: ExecutionName): Promise<ExecutionRecord | undefined> {
    const execution = this.#executions().find(name);
    return execution && plainExecution(execution);
  }

  async list(tenant: TenantId, conversation: ConversationId, limit: number): Promise<ExecutionRecord[]> {
    const executions = this.#executions();
    const ids = [...(this.#state.executionIds.get(nameOf(tenant, conversation)) ?? [])];
    return ids
      .flatMap((execution) => executions.find({ tenant, conversation, execution }) ?? [])
      .sort((a, b) => b.startedAt - a.startedAt || (a.execution < b.execution ? 1 : -1))
      .slice(0, limit)
      .map(plainExecution);
  }

  async takeRelay(request: RelayRequest): Promise<TakeRelayResult> {
    const executions = this.#executions();
    const execution = executions.find(request);
    if (!execution) return { kind: 'absent' };
    if (execution.status !== 'running') return { kind: 'ended' };
    const now = this.#clock.now();
    if (execution.relay !== request.relay && executions.relayUntil(request) > now) return { kind: 'held' };
    executions.holdRelay(execution, request.relay, now + ms(request.leaseSeconds));
    return { kind: 'taken', execution: plainExecution(execution) };
  }

  async renewRelay(request: RelayRequest): Promise<Fenced> {
    const executions = this.#executions();
    const execution = executions.findRelayed(request);
    if (!execution) return 'stale';
    executions.holdRelay(execution, request.relay, this.#clock.now() + ms(request.leaseSeconds));
    return 'done';
  }

  async append(request: AppendRequest): Promise<Fenced> {
    checkEntries(request.entries, request.after);
    const executions = this.#executions();
    const execution = executions.findRelayed(request);
    if (!execution) return 'stale';
    if (execution.agentSeq === request.agentSeq && execution.offset === request.offset) return 'done';
    if (lastEvent(execution) !== request.after) return 'stale';
    executions.log(execution, request.entries);
    execution.agentSeq = request.agentSeq;
    execution.offset = request.offset;
    executions.holdRelay(execution, request.relay, this.#clock.now() + ms(request.leaseSeconds));
    executions.wake(request);
    return 'done';
  }

  async finish(request: FinishRequest): Promise<Fenced> {
    checkEntries(request.entries);
    const executions = this.#executions();
    const execution = executions.findRelayed(request);
    if (!execution) return 'stale';
    executions.end(execution, request.status, executions.log(execution, request.entries));
    this.#endWork(execution, request.ttl);
    executions.wake(request);
    return 'done';
  }

  async leaveRelay(request: ExecutionName & { relay: string }): Promise<void> {
    const executions = this.#executions();
    const execution = executions.findRelayed(request);
    if (execution) executions.holdRelay(execution, '', this.#clock.now());
  }

  async abandon(request: ExecutionName & { relay: string; ttl: Lifetimes }): Promise<Fenced> {
    const executions = this.#executions();
    const execution = executions.findRelayed(request);
    if (!execution) return 'stale';
    executions.forget(execution);
    this.#endWork(execution, request.ttl);
    executions.wake(request);
    return 'done';
  }

  async read(name: ExecutionName, after: number, maxBytes: number): Promise<LoggedEvents | undefined> {
    const executions = this.#executions();
    const execution = executions.find(name);
    if (!execution) return undefined;
    const entries: LogEntry[] = [];
    let bytes = 0;
    for (const entry of executions.entriesOf(execution)) {
      if (entry.last <= after) continue;
      bytes += entry.frames.length;
      if (entries.length > 0 && bytes > maxBytes) return { entries, ended: false };
      entries.push({ ...entry });
    }
    return { entries, ended: execution.status !== 'running' };
  }

  async changed(name: ExecutionName, after: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const execution = this.#executions().find(name);
    if (execution?.status !== 'running' || lastEvent(execution) > after) return;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onAbort = () => reject(signal.reason);
    const forget = this.#listen(name, resolve);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await promise;
    } finally {
      forget();
      signal.removeEventListener('abort', onAbort);
    }
  }

  async withoutRelay(limit: number): Promise<ExecutionName[]> {
    const now = this.#clock.now();
    return [...this.#state.relays]
      .filter(([, until]) => until <= now)
      .sort(([a, until], [b, other]) => until - other || (a < b ? -1 : 1))
      .slice(0, limit)
      .flatMap(([key]) => {
        const execution = this.#state.executions.get(key);
        return execution ? [onlyName(execution)] : [];
      });
  }

  async countRunning(): Promise<number> {
    return this.#state.relays.size;
  }

  /** If the conversation still has the container that it ran in. */
  #endWork(execution: StoredExecution, ttl: Lifetimes): void {
    const records = new MemoryRecords(this.#state, this.#clock.now());
    const record = records.findBound(execution);
    if (record && record.status !== 'preparing')
      records.endWork(record, executionWork(execution.execution), ttl);
  }

  #listen(name: ExecutionName, listener: () => void): () => void {
    const { listeners } = this.#state;
    const key = executionNameOf(name);
    const all = listeners.get(key) ?? new Set();
    listeners.set(key, all.add(listener));
    return () => {
      all.delete(listener);
      if (all.size === 0 && listeners.get(key) === all) listeners.delete(key);
    };
  }

  #executions(): MemoryExecutions {
    return new MemoryExecutions(this.#state, this.#clock.now());
  }
}
