import { type ChildProcess, fork } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { BerthError } from '../contracts/errors.ts';
import type { HostMessage, HostRequest, HostResults } from '../egress/host-messages.ts';
import { REFUSED } from '../egress/proxy/refusal-log.ts';
import { type ProxyRefusal, refusalOf } from './proxy-refusal.ts';

const ANSWER_MS = 5_000;
const READY_MS = 10_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** One that lived so long begins anew with the shortest pause. */
const STEADY_MS = 30_000;
const EXIT_MS = 2_000;

/** The proxy is there, but could not do what it was asked for. */
export class ProxyFailed extends BerthError {
  constructor(why: string) {
    super('EGRESS_UNAVAILABLE', `the egress proxy failed: ${why}`);
  }
}

/** All that the child gets of our environment: it holds what it is told, and nothing else. */
const PASSED_ON = [
  'PATH',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_COMPILE_CACHE',
  'TZ',
];

interface Parts {
  program: URL;
  env: Record<string, string | undefined>;
  log: Logger;
  /** It did not let a request through; of many within a second a few are told. */
  onRefused?: (refusal: ProxyRefusal) => void;
  /** A new one is there in place of one that ended: it knows nothing yet. */
  onRestarted: () => void;
}

interface Waiting {
  resolve: (result: HostResults[keyof HostResults]) => void;
  reject: (error: Error) => void;
}

/** The egress proxy as a process of its own, kept running: what it does to itself, it does not do to the runtime. */
export class ProxyChild {
  readonly #parts: Parts;
  readonly #waiting = new Map<number, Waiting>();
  readonly #closed = new AbortController();
  #child: ChildProcess | undefined;
  #ready = Promise.withResolvers<void>();
  #lastId = 0;
  #running: Promise<void> | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#ready.promise.catch(() => {});
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** Starts it at the first request. Throws `EGRESS_UNAVAILABLE` when it does not answer. */
  async ask<Kind extends HostRequest['kind']>(
    request: Extract<HostRequest, { kind: Kind }>,
  ): Promise<HostResults[Kind]> {
    this.#running ??= this.#keepRunning();
    const late = AbortSignal.timeout(READY_MS);
    await Promise.race([this.#ready.promise, rejected(late)]);
    // The cast: an answer has the id of its request, and the child is of the same version.
    return (await this.#send(request)) as HostResults[Kind];
  }

  /** Its connections end with it. */
  async close(): Promise<void> {
    this.#closed.abort();
    this.#ready.reject(away('it is closing'));
    this.#child?.disconnect();
    const child = this.#child;
    const killer = setTimeout(() => child?.kill('SIGKILL'), EXIT_MS);
    await this.#running;
    clearTimeout(killer);
  }

  async #keepRunning(): Promise<void> {
    const { log, onRestarted } = this.#parts;
    let pause = FIRST_PAUSE_MS;
    for (let starts = 1; !this.#closed.signal.aborted; starts += 1) {
      const began = performance.now();
      const ended = this.#start();
      if (starts > 1) this.#ready.promise.then(onRestarted, () => {});
      const how = await ended;
      this.#lose(how);
      if (this.#closed.signal.aborted) return;
      pause = performance.now() - began > STEADY_MS ? FIRST_PAUSE_MS : Math.min(2 * pause, LONGEST_PAUSE_MS);
      log.error({ how, restart_ms: pause }, 'the egress proxy ended; it is started again');
      await sleep(pause, undefined, { signal: this.#closed.signal }).catch(() => {});
    }
  }

  /** Resolves with how it ended. */
  #start(): Promise<string> {
    let child: ChildProcess;
    try {
      child = this.#fork();
    } catch (error) {
      return Promise.resolve(error instanceof Error ? error.message : String(error));
    }
    const late = setTimeout(() => child.kill('SIGKILL'), READY_MS);
    const settled = () => clearTimeout(late);
    this.#ready.promise.then(settled, settled);
    this.#child = child;
    // The cast: only our own program has the other end of the channel.
    child.on('message', (message) => this.#take(message as HostMessage));
    return new Promise((resolve) => {
      child.on('error', (error) => resolve(error.message));
      child.on('exit', (code, signal) => resolve(signal ?? `exit code ${code}`));
    });
  }

  #fork(): ChildProcess {
    const { program, env } = this.#parts;
    return fork(program, {
      env: Object.fromEntries(
        PASSED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
      ),
      execArgv: ['--disable-sigusr1'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }

  #lose(how: string): void {
    this.#ready.reject(away(how));
    this.#ready = Promise.withResolvers();
    this.#ready.promise.catch(() => {});
    for (const { reject } of this.#waiting.values()) reject(away(how));
    this.#waiting.clear();
  }

  #take(message: HostMessage): void {
    switch (message.kind) {
      case 'ready':
        this.#ready.resolve();
        return;
      case 'log':
        this.#parts.log[message.level](message.fields, message.message);
        if (message.message === REFUSED) this.#parts.onRefused?.(refusalOf(message.fields));
        return;
      case 'answer':
        this.#waiting.get(message.id)?.resolve(message.result);
        return;
      case 'failed':
        this.#waiting.get(message.id)?.reject(new ProxyFailed(message.message));
    }
  }

  async #send(request: HostRequest): Promise<HostResults[keyof HostResults]> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<HostResults[keyof HostResults]>();
    this.#waiting.set(id, { resolve, reject });
    const { pid } = this.#child ?? {};
    const late = setTimeout(() => {
      reject(away(`no answer within ${ANSWER_MS} ms`));
      // One that hangs still has its sockets: only its end lets another take them.
      if (this.#child?.pid === pid) this.#child?.kill('SIGKILL');
    }, ANSWER_MS);
    this.#child?.send({ ...request, id }, (error) => error && reject(away(error.message)));
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      this.#waiting.delete(id);
    }
  }
}

function rejected(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(away(`it was not ready within ${READY_MS} ms`)));
  });
}

function away(how: string): BerthError {
  return new BerthError('EGRESS_UNAVAILABLE', `the egress proxy does not answer: ${how}`);
}
