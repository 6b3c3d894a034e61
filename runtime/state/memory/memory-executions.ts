import type { Instant } from '../../contracts/conversation-record.ts';
import type { ExecutionName, ExecutionRecord } from '../../contracts/execution-record.ts';
import { type ContainerId, type ExecutionId, executionOfWork, type TenantId } from '../../contracts/ids.ts';
import type { ExecutionStart } from '../conversation-store.ts';
import { LOG_BYTES, type LogEntry } from '../execution-store.ts';
import { EXECUTION_KEPT_MS, LOG_KEPT_MS } from '../store-limits.ts';
import { type MemoryState, nameOf, type StoredExecution } from './memory-state.ts';

/** Finds and changes executions at one moment, by the rules that execution-rules.lua has for Redis. */
export class MemoryExecutions {
  readonly #state: MemoryState;
  readonly #now: Instant;

  constructor(state: MemoryState, now: Instant) {
    this.#state = state;
    this.#now = now;
  }

  find(name: ExecutionName): StoredExecution | undefined {
    const execution = this.#state.executions.get(executionNameOf(name));
    const ended = execution?.endedAt ?? null;
    return ended !== null && ended + EXECUTION_KEPT_MS <= this.#now ? undefined : execution;
  }

  /** The execution if it runs and this relay holds its lease. */
  findRelayed(request: ExecutionName & { relay: string }): StoredExecution | undefined {
    const execution = this.find(request);
    const held = execution?.relay === request.relay && this.relayUntil(request) > this.#now;
    return held ? execution : undefined;
  }

  /** 0 for one that does not run. */
  relayUntil(name: ExecutionName): Instant {
    return this.#state.relays.get(executionNameOf(name)) ?? 0;
  }

  /** Makes it the relay's until then, or longer if it is already. */
  holdRelay(execution: StoredExecution, relay: string, until: Instant): void {
    const held = execution.relay === relay ? this.relayUntil(execution) : 0;
    execution.relay = relay;
    this.#state.relays.set(executionNameOf(execution), Math.max(held, until));
  }

  /** Another execution whose work on this container has not lapsed. */
  inFlight(container: ContainerId): ExecutionId | undefined {
    const leases = [...(this.#state.work.get(container) ?? [])].sort(
      ([a, end], [b, other]) => end - other || (a < b ? -1 : 1),
    );
    for (const [work, end] of leases) {
      const execution = end > this.#now ? executionOfWork(work) : undefined;
      if (execution !== undefined) return execution;
    }
    return undefined;
  }

  /** How many of this tenant's have time left. */
  countOf(tenant: TenantId): number {
    return [...this.#state.relays.keys()].filter((name) => {
      const execution = this.#state.executions.get(name);
      return execution?.tenant === tenant && execution.deadline > this.#now;
    }).length;
  }

  begin(
    name: ExecutionName,
    begun: Pick<ExecutionStart, 'bodyHash' | 'onDisconnect' | 'relay'> & {
      container: ContainerId;
      deadline: Instant;
      relayUntil: Instant;
    },
  ): void {
    const { executions, executionIds, relays } = this.#state;
    this.#forgetOld();
    const key = executionNameOf(name);
    executions.set(key, {
      ...onlyName(name),
      status: 'running',
      bodyHash: begun.bodyHash,
      container: begun.container,
      startedAt: this.#now,
      deadline: begun.deadline,
      endedAt: null,
      onDisconnect: begun.onDisconnect,
      agentSeq: 0,
      offset: 0,
      relay: begun.relay,
      entries: [],
      logBytes: 0,
    });
    relays.set(key, begun.relayUntil);
    const conversation = nameOf(name.tenant, name.conversation);
    executionIds.set(conversation, (executionIds.get(conversation) ?? new Set()).add(name.execution));
  }

  /** Adds what comes after the log's last event; the oldest entries beyond `LOG_BYTES` go. Returns the last number. */
  log(execution: StoredExecution, entries: LogEntry[]): number {
    let last = lastEvent(execution);
    for (const { first, last: end, frames } of entries) {
      if (first <= last) continue;
      execution.entries.push({ first, last: end, frames });
      execution.logBytes += frames.length;
      last = end;
    }
    while (execution.logBytes > LOG_BYTES) {
      execution.logBytes -= execution.entries.shift()?.frames.length ?? execution.logBytes;
    }
    return last;
  }

  /** Its log, until an hour after its end. */
  entriesOf(execution: StoredExecution): LogEntry[] {
    const ended = execution.endedAt;
    return ended !== null && ended + LOG_KEPT_MS <= this.#now ? [] : execution.entries;
  }

  end(execution: StoredExecution, status: StoredExecution['status'], lastNumber: number): void {
    const key = executionNameOf(execution);
    execution.status = status;
    execution.endedAt = this.#now;
    execution.offset = lastNumber - execution.agentSeq;
    this.#state.relays.delete(key);
    this.#state.ended.set(key, this.#now);
    this.#state.endedLogs.set(key, this.#now);
  }

  forget(name: ExecutionName): void {
    const { executions, executionIds, relays } = this.#state;
    const key = executionNameOf(name);
    executions.delete(key);
    relays.delete(key);
    const conversation = nameOf(name.tenant, name.conversation);
    const ids = executionIds.get(conversation);
    ids?.delete(name.execution);
    if (ids?.size === 0) executionIds.delete(conversation);
  }

  /** Whoever waits for this execution looks again. */
  wake(name: ExecutionName): void {
    for (const listener of this.#state.listeners.get(executionNameOf(name)) ?? []) listener();
  }

  #forgetOld(): void {
    const { ended, endedLogs, executions } = this.#state;
    for (const key of until(endedLogs, this.#now - LOG_KEPT_MS)) {
      const execution = executions.get(key);
      if (execution) execution.entries = [];
    }
    for (const key of until(ended, this.#now - EXECUTION_KEPT_MS)) {
      const execution = executions.get(key);
      if (execution) this.forget(execution);
    }
  }
}

export function executionNameOf({ tenant, conversation, execution }: ExecutionName): string {
  return `${tenant}:${conversation}:${execution}`;
}

export function onlyName({ tenant, conversation, execution }: ExecutionName): ExecutionName {
  return { tenant, conversation, execution };
}

/** The execution as callers get it. */
export function plainExecution(stored: StoredExecution): ExecutionRecord {
  const { relay: _, entries: __, logBytes: ___, ...execution } = stored;
  return execution;
}

export function lastEvent({ agentSeq, offset }: ExecutionRecord): number {
  return agentSeq + offset;
}

/** Takes the keys of those that ended by then out of what is in order of ending. */
function* until(ended: Map<string, Instant>, then: Instant): Generator<string> {
  for (const [key, at] of ended) {
    if (at > then) return;
    ended.delete(key);
    yield key;
  }
}
