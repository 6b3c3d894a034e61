import { setTimeout as sleep } from 'node:timers/promises';
import { isBerthError } from '../../contracts/errors.ts';
import type { ExecutionName, ExecutionRecord } from '../../contracts/execution-record.ts';
import { type ConversationId, executionWork, type TenantId } from '../../contracts/ids.ts';
import type { Fenced, Lifetimes } from '../conversation-store.ts';
import {
  type AppendRequest,
  type ExecutionStore,
  type FinishRequest,
  LOG_BYTES,
  type LoggedEvents,
  type RelayRequest,
  type TakeRelayResult,
} from '../execution-store.ts';
import { checkEntries } from '../log-entries.ts';
import * as replies from './execution-replies.ts';
import { amount, fenced } from './reply-parts.ts';
import { executionName, lifetimes, logEntries, ms } from './script-arguments.ts';
import type { ScriptRunner } from './script-runner.ts';
import type { StreamWaits } from './stream-waits.ts';

export interface RedisExecutionStoreParts {
  scripts: ScriptRunner;
  waits: StreamWaits;
  /** The key of an execution's log starts with this. */
  eventsStem: string;
}

const AWAY = 'away' as const;
const AWAY_PAUSE_MS = 500;

/** Executions and their logs in Redis. */
export class RedisExecutionStore implements ExecutionStore {
  readonly #scripts: ScriptRunner;
  readonly #waits: StreamWaits;
  readonly #eventsStem: string;

  constructor({ scripts, waits, eventsStem }: RedisExecutionStoreParts) {
    this.#scripts = scripts;
    this.#waits = waits;
    this.#eventsStem = eventsStem;
  }

  async get(name: ExecutionName): Promise<ExecutionRecord | undefined> {
    const fields = await this.#scripts.run('getExecution', executionName(name), replies.maybeExecution);
    return fields && { ...onlyName(name), ...fields };
  }

  async list(tenant: TenantId, conversation: ConversationId, limit: number): Promise<ExecutionRecord[]> {
    const found = await this.#scripts.run(
      'listExecutions',
      [tenant, conversation, limit],
      replies.executions,
    );
    return found.map(([execution, fields]) => ({ tenant, conversation, execution, ...fields }));
  }

  async takeRelay(request: RelayRequest): Promise<TakeRelayResult> {
    const [kind, fields] = await this.#scripts.run('takeRelay', relayArguments(request), replies.relayTaken);
    return kind === 'taken' ? { kind, execution: { ...onlyName(request), ...fields } } : { kind };
  }

  renewRelay(request: RelayRequest): Promise<Fenced> {
    return this.#scripts.run('renewRelay', relayArguments(request), fenced);
  }

  async append(request: AppendRequest): Promise<Fenced> {
    checkEntries(request.entries, request.after);
    const args = [
      ...[...relayArguments(request), request.after, request.agentSeq, request.offset, LOG_BYTES],
      ...logEntries(request.entries),
    ];
    return this.#scripts.run('appendEvents', args, fenced);
  }

  async finish(request: FinishRequest): Promise<Fenced> {
    checkEntries(request.entries);
    const args = [
      ...[...executionName(request), request.relay, request.status, executionWork(request.execution)],
      ...[...lifetimes(request.ttl), LOG_BYTES, ...logEntries(request.entries)],
    ];
    return this.#scripts.run('finishExecution', args, fenced);
  }

  async leaveRelay(request: ExecutionName & { relay: string }): Promise<void> {
    await this.#scripts.run('leaveRelay', [...executionName(request), request.relay], fenced);
  }

  abandon(request: ExecutionName & { relay: string; ttl: Lifetimes }): Promise<Fenced> {
    const { relay, execution, ttl } = request;
    const args = [...executionName(request), relay, executionWork(execution), ...lifetimes(ttl)];
    return this.#scripts.run('abandonExecution', args, fenced);
  }

  read(name: ExecutionName, after: number, maxBytes: number): Promise<LoggedEvents | undefined> {
    return this.#scripts.runForBytes('readEvents', [...executionName(name), after, maxBytes], replies.events);
  }

  async changed(name: ExecutionName, after: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const words = executionName(name);
    const last = await this.#scripts.run('logEnd', [...words, after], amount).catch((error: unknown) => {
      if (isBerthError(error, 'STORE_UNAVAILABLE')) return AWAY;
      throw error;
    });
    signal.throwIfAborted();
    // Who asks again meanwhile shall not do it in a busy loop; what reads next says what is wrong.
    if (last === AWAY) await sleep(AWAY_PAUSE_MS, undefined, { signal });
    else if (last >= 0) await this.#waits.wait(this.#eventsStem + words.join(':'), `${last}-0`, signal);
  }

  withoutRelay(limit: number): Promise<ExecutionName[]> {
    return this.#scripts.run('withoutRelay', [limit], replies.names);
  }

  countRunning(): Promise<number> {
    return this.#scripts.run('countRunning', [], amount);
  }
}

function relayArguments(request: RelayRequest): (string | number)[] {
  return [...executionName(request), request.relay, ms(request.leaseSeconds)];
}

function onlyName({ tenant, conversation, execution }: ExecutionName): ExecutionName {
  return { tenant, conversation, execution };
}
