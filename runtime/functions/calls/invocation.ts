import type { Logger } from 'pino';
import type { ContainerView } from '../../containers/container-backend.ts';
import { BerthError, isBerthError } from '../../contracts/errors.ts';
import type { FunctionKey } from '../../contracts/function-key.ts';
import type { ContainerId } from '../../contracts/ids.ts';
import type { Checkpoint } from '../../lifecycle/checkpoint.ts';
import type { FunctionDefinition } from '../definitions/function-definition.ts';
import { missingFunction } from '../definitions/missing-function.ts';
import type { Pass } from '../pool/breaker.ts';
import { unavailable } from '../pool/container-pool.ts';
import type { LeasedWorker } from '../pool/local-leases.ts';
import type { PoolManager } from '../pool/pool-manager.ts';
import { becomesIdle } from '../pool/worker-probe.ts';
import { type InvocationOutcome, isFault, problemOf } from './invocation-outcome.ts';
import { OpenCalls } from './open-calls.ts';
import { type AnswerHead, type AnswerSink, type CallRequest, NotReached, WorkerCall } from './worker-call.ts';
import type { WorkerConnections } from './worker-connections.ts';

/** A worker that could not be reached is replaced, so often; and as often as it takes until all there were are, in the time for waiting. */
const ATTEMPTS = 3;
/** What a program gets to give up a call that nobody waits for. */
const GIVE_UP_SECONDS = 2;
/** More than a program gets to give up a call, so that its worker is still given back. */
const CLEAN_UP_SECONDS = GIVE_UP_SECONDS + 1;

interface Parts {
  find: (of: FunctionKey) => Promise<FunctionDefinition | undefined>;
  pools: PoolManager;
  connections: WorkerConnections;
  /** How its program ended, if it did. */
  exitOf: (worker: ContainerId) => Promise<ContainerView['exit']>;
  checkpoint: Checkpoint;
  log: Logger;
  onEnd: (outcome: InvocationOutcome, facts: { coldStart: boolean; waitedSeconds: number }) => void;
}

export interface InvokeRequest extends Omit<CallRequest, 'path'> {
  of: FunctionKey;
  /** Aborts when the client is gone. */
  client: AbortSignal;
}

export interface WorkerAnswer extends AnswerHead {
  worker: string;
  coldStart: boolean;
}

type Respond = (answer: WorkerAnswer) => AnswerSink;

/** Calls of functions. */
export class Invocations {
  readonly #parts: Parts;
  readonly #open = new OpenCalls();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Takes no more; those under way have so long. */
  close(graceSeconds: number): Promise<void> {
    return this.#open.close(graceSeconds, CLEAN_UP_SECONDS);
  }

  /**
   * One call, made once. `respond` says where the answer goes; it may throw, where that can't be passed on. Throws `FUNCTION_NOT_FOUND`, what having a worker failed with, `WORKER_FAILED`,
   * `INVOKE_TIMEOUT`; after the answer has begun nothing more: then it is cut short.
   */
  invoke(request: InvokeRequest, respond: Respond): Promise<void> {
    return this.#open.run(request.client, (client) => this.#invoke({ ...request, client }, respond));
  }

  async #invoke(request: InvokeRequest, respond: Respond): Promise<void> {
    const { find, pools } = this.#parts;
    const { of } = request;
    const definition = await find(of);
    if (definition === undefined) throw missingFunction(of);
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
    respond: Respond,
  ): Promise<void> {
    const { pools, checkpoint, log, onEnd } = this.#parts;
    const pool = pools.of(definition.of);
    const { maxCapacity, acquireTimeoutSeconds } = definition.scaling;
    const giveUp = performance.now() + acquireTimeoutSeconds * 1000;
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
      await checkpoint('worker.leased');
      const end = await this.#call(definition, request, leased, respond);
      if (end.outcome === 'not-reached') {
        log.warn(
          { err: end.error, container_id: leased.worker },
          'a worker can not be reached; another gets its call',
        );
        void this.#open.follow(pool.evict(leased));
        if (attempt < ATTEMPTS || (attempt <= maxCapacity && performance.now() < giveUp)) continue;
        pass.failed(performance.now());
        onEnd('worker_failed', { coldStart, waitedSeconds });
        throw new BerthError('WORKER_FAILED', `no worker can be reached: ${end.error.message}`);
      }
      onEnd(end.outcome, { coldStart, waitedSeconds });
      if (end.outcome === 'answered') pass.succeeded();
      else if (end.outcome === 'cancelled') pass.nothing();
      else pass.failed(performance.now());
      await checkpoint('worker.answered');
      void this.#open.follow(this.#giveBack(leased, definition, end.outcome));
      if (end.error !== undefined) throw end.error;
      return;
    }
  }

  /** What became of it. With an error: nothing has been answered yet. */
  async #call(
    { port, path, timeoutSeconds }: FunctionDefinition,
    { headers, body, client }: InvokeRequest,
    { worker, coldStart }: LeasedWorker,
    respond: Respond,
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
      const connection = await connections.take(worker, port);
      if (client.aborted) gone();
      if (stopped !== undefined) {
        connection.destroy();
        throw new Error('it was never made');
      }
      call = new WorkerCall(connection, { path, headers, body }, (head) =>
        respond({ ...head, worker, coldStart }),
      );
      await call.over;
      return { outcome: 'answered' };
    } catch (error) {
      // An answer that breaks off closes the client's connection, too: who was first counts.
      if (call !== undefined && !call.isCancelled) stopped = undefined;
      if (call?.hasBegun) {
        const outcome = stopped ?? 'worker_failed';
        if (outcome === 'worker_failed') await this.#failed(worker, error);
        return { outcome };
      }
      if (error instanceof NotReached || isBerthError(error, 'CONTAINER_NOT_FOUND'))
        return { outcome: 'not-reached', error };
      // A body that broke off is its caller's doing, and says nothing of the function.
      const outcome = stopped ?? (body?.errored ? 'cancelled' : 'worker_failed');
      const exit = outcome === 'worker_failed' ? await this.#failed(worker, error) : undefined;
      return { outcome, error: problemOf(outcome, timeoutSeconds, exit ?? error, client) };
    } finally {
      clearTimeout(late);
      client.removeEventListener('abort', gone);
    }
  }

  /** Tells operators of it; resolves with how its program ended, where it did. */
  async #failed(worker: ContainerId, error: unknown): Promise<Error | undefined> {
    const { exitOf, log } = this.#parts;
    const exit = await exitOf(worker).catch(() => undefined);
    log.warn({ err: error, container_id: worker, exit }, 'a worker failed during a call; it is ended');
    if (exit === undefined) return undefined;
    return new Error(
      `its program ended with exit code ${exit.code}${exit.oomKilled ? ', out of memory' : ''}`,
    );
  }

  /** One that answered is free. One whose call was broken off is only if it says so. */
  async #giveBack(
    leased: LeasedWorker,
    { of, port }: FunctionDefinition,
    outcome: InvocationOutcome,
  ): Promise<void> {
    const pool = this.#parts.pools.of(of);
    const free = outcome === 'answered' || (outcome === 'cancelled' && (await this.#isFree(leased, port)));
    await (free ? pool.release(leased) : pool.evict(leased));
  }

  async #isFree({ worker }: LeasedWorker, port: number): Promise<boolean> {
    try {
      return await becomesIdle(await this.#parts.connections.endpoint(worker, port), GIVE_UP_SECONDS);
    } catch {
      return false; // it is gone
    }
  }
}

type CallEnd =
  | { outcome: 'not-reached'; error: Error }
  | { outcome: Exclude<InvocationOutcome, 'no_worker' | 'unavailable'>; error?: unknown };
