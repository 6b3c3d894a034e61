import type { IncomingMessage } from 'node:http';
import { BerthError, isBerthError } from '../contracts/errors.ts';
import type { FunctionKey } from '../state/worker-store.ts';
import type { Pass } from './breaker.ts';
import { deleted, type LeasedWorker, unavailable } from './container-pool.ts';
import type { FunctionDefinition } from './function-definition.ts';
import type { PoolManager } from './pool-manager.ts';
import { type CallRequest, NotReached, WorkerCall } from './worker-call.ts';
import type { WorkerConnections } from './worker-connections.ts';
import { becomesIdle } from './worker-probe.ts';

/** A worker that could not be reached is replaced, so often. */
const ATTEMPTS = 3;
/** What a program gets to give up a call that nobody waits for. */
const GIVE_UP_SECONDS = 2;

export type InvocationOutcome =
  | 'answered'
  | 'worker_failed'
  | 'timeout'
  | 'cancelled'
  | 'no_worker'
  | 'unavailable';

interface Parts {
  find: (of: FunctionKey) => Promise<FunctionDefinition | undefined>;
  pools: PoolManager;
  connections: WorkerConnections;
  onEnd: (outcome: InvocationOutcome, facts: { coldStart: boolean; waitedSeconds: number }) => void;
}

export interface InvokeRequest extends Omit<CallRequest, 'path'> {
  of: FunctionKey;
  /** Aborts when the client is gone. */
  client: AbortSignal;
}

export interface WorkerAnswer {
  message: IncomingMessage;
  worker: string;
  coldStart: boolean;
}

/** Calls of functions. */
export class Invocations {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * One call, made once. `respond` passes the answer on and resolves when that is over, or cut short; it throws only
   * before it has passed on anything. Throws `FUNCTION_NOT_FOUND`, what having a worker failed with, `WORKER_FAILED`,
   * `INVOKE_TIMEOUT`; after the answer has begun nothing more: then it is cut short.
   */
  async invoke(request: InvokeRequest, respond: (answer: WorkerAnswer) => Promise<void>): Promise<void> {
    const { find, pools } = this.#parts;
    const { of } = request;
    const definition = await find(of);
    if (definition === undefined) throw deleted(of);
    const verdict = pools.breakerOf(of).ask(performance.now());
    if (verdict.kind === 'open') {
      this.#parts.onEnd('unavailable', { coldStart: false, waitedSeconds: 0 });
      throw unavailable(verdict.retryAfterSeconds);
    }
    await this.#attempts(definition, request, verdict.pass, respond);
  }

  async #attempts(
    definition: FunctionDefinition,
    request: InvokeRequest,
    pass: Pass,
    respond: (answer: WorkerAnswer) => Promise<void>,
  ): Promise<void> {
    const { pools, onEnd } = this.#parts;
    const pool = pools.of(definition.of);
    let waitedSeconds = 0;
    for (let attempt = 1; ; attempt += 1) {
      const began = performance.now();
      let leased: LeasedWorker;
      try {
        leased = await pool.acquire(definition, request.client);
      } catch (error) {
        if (isFault(error)) pass.failed(performance.now());
        else pass.nothing();
        onEnd(request.client.aborted ? 'cancelled' : 'no_worker', { coldStart: false, waitedSeconds });
        throw error;
      }
      waitedSeconds += (performance.now() - began) / 1000;
      const { coldStart } = leased;
      const end = await this.#call(definition, request, leased, respond);
      if (end.outcome === 'not-reached') {
        void pool.evict(leased);
        if (attempt < ATTEMPTS) continue;
        pass.failed(performance.now());
        onEnd('worker_failed', { coldStart, waitedSeconds });
        throw new BerthError('WORKER_FAILED', `no worker can be reached: ${end.error.message}`);
      }
      onEnd(end.outcome, { coldStart, waitedSeconds });
      if (end.outcome === 'answered') pass.succeeded();
      else if (end.outcome === 'cancelled') pass.nothing();
      else pass.failed(performance.now());
      void this.#giveBack(leased, definition, end.outcome);
      if (end.error !== undefined) throw end.error;
      return;
    }
  }

  /** What became of it. With an error: nothing has been answered yet. */
  async #call(
    { port, path, timeoutSeconds }: FunctionDefinition,
    { headers, body, client }: InvokeRequest,
    { worker, coldStart }: LeasedWorker,
    respond: (answer: WorkerAnswer) => Promise<void>,
  ): Promise<CallEnd> {
    const { connections } = this.#parts;
    let stopped: 'timeout' | 'cancelled' | undefined;
    let call: WorkerCall | undefined;
    const stop = (why: 'timeout' | 'cancelled', reason: Error) => {
      stopped ??= why;
      call?.cancel(reason);
    };
    const gone = () => stop('cancelled', new Error('nobody waits for it any more'));
    client.addEventListener('abort', gone, { once: true });
    const late = setTimeout(() => stop('timeout', new Error('it takes too long')), timeoutSeconds * 1000);
    try {
      const { agent } = await connections.of(worker, port);
      if (client.aborted) gone();
      if (stopped !== undefined) throw new Error('it was never made');
      call = new WorkerCall(agent, { path, headers, body });
      const message = await call.answer;
      await respond({ message, worker, coldStart });
      return { outcome: message.complete ? 'answered' : (stopped ?? 'worker_failed') };
    } catch (error) {
      call?.cancel(new Error('what it says can not be passed on'));
      if (error instanceof NotReached || isBerthError(error, 'CONTAINER_NOT_FOUND'))
        return { outcome: 'not-reached', error };
      // A body that broke off is its caller's doing, and says nothing of the function.
      const outcome = stopped ?? (body?.errored ? 'cancelled' : 'worker_failed');
      return { outcome, error: problemOf(outcome, timeoutSeconds, error, client) };
    } finally {
      clearTimeout(late);
      client.removeEventListener('abort', gone);
    }
  }

  /** One that answered is free. One whose call was broken off is only if it says so. */
  async #giveBack(
    leased: LeasedWorker,
    { of, port }: FunctionDefinition,
    outcome: InvocationOutcome,
  ): Promise<void> {
    const { pools, connections } = this.#parts;
    const pool = pools.of(of);
    connections.used(leased.worker);
    const free = outcome === 'answered' || (outcome === 'cancelled' && (await this.#isFree(leased, port)));
    await (free ? pool.release(leased) : pool.evict(leased));
  }

  async #isFree({ worker }: LeasedWorker, port: number): Promise<boolean> {
    const { endpoint } = await this.#parts.connections.of(worker, port);
    return becomesIdle(endpoint, GIVE_UP_SECONDS);
  }
}

type CallEnd =
  | { outcome: 'not-reached'; error: Error }
  | { outcome: Exclude<InvocationOutcome, 'no_worker' | 'unavailable'>; error?: unknown };

function problemOf(
  outcome: InvocationOutcome,
  seconds: number,
  error: unknown,
  client: AbortSignal,
): unknown {
  if (outcome === 'cancelled') return client.reason ?? error;
  if (outcome === 'timeout')
    return new BerthError('INVOKE_TIMEOUT', `the function did not answer within ${seconds} s`);
  const what = error instanceof Error ? said(error) : 'it broke off';
  return new BerthError('WORKER_FAILED', `the worker failed before it answered: ${what}`, {}, error);
}

/** In words that tell nothing of the inside. */
function said(error: Error & { code?: string }): string {
  if (error.code === undefined) return error.message;
  if (error.code === 'ECONNRESET' || error.code === 'EPIPE') return 'it broke the connection off';
  if (error.code.startsWith('HPE_') || error.code.startsWith('ERR_')) return 'what it says is no valid HTTP';
  return error.code;
}

/** What says that the function itself is not well. */
function isFault(error: unknown): boolean {
  return isBerthError(
    error,
    'IMAGE_PULL_FAILED',
    'CONTAINER_CREATE_FAILED',
    'HEALTH_CHECK_FAILED',
    'START_TIMEOUT',
  );
}
