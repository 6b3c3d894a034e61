import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../runtime/main.ts', import.meta.url));

export interface RuntimeOptions {
  env?: Record<string, string>;
  /** A folder that outlives the process; a new one that goes with it unless given. */
  dataDir?: string;
  /** Another program than `berth start`. */
  main?: string;
}

/** The runtime as people run it: a process of its own, spoken to over HTTP. */
export class RuntimeProcess implements AsyncDisposable {
  readonly child: ChildProcess;
  readonly dataDir: string;
  readonly log: Record<string, unknown>[] = [];
  readonly #ownsData: boolean;
  readonly #output: string[] = [];
  readonly #exited: Promise<number | null>;
  url = '';

  private constructor(options: RuntimeOptions) {
    this.#ownsData = options.dataDir === undefined;
    this.dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'berth-'));
    const program = options.main === undefined ? [MAIN, 'start'] : [options.main];
    this.child = spawn(process.execPath, program, {
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        PORT: '0',
        BERTH_DATA_DIR: this.dataDir,
        GRACE_PERIOD_SECONDS: '5',
        // Containers that nobody asked for cost time: tests of the pool ask for them.
        WARM_POOL_MIN_SIZE: '0',
        WARM_POOL_MAX_SIZE: '0',
        ...options.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#exited = once(this.child, 'exit').then(([code]) => code);
    for (const stream of [this.child.stdout, this.child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on('line', (line) => this.#read(line));
    }
  }

  /** Resolves when it serves; throws with its output when it ends before. */
  static async start(options: RuntimeOptions = {}): Promise<RuntimeProcess> {
    const runtime = new RuntimeProcess(options);
    const { promise, resolve } = Promise.withResolvers<void>();
    runtime.child.stdout?.on('data', () => {
      const started = runtime.log.find((entry) => entry.msg === 'Berth is running');
      if (started === undefined) return;
      runtime.url = String(started.url);
      resolve();
    });
    const ended = await Promise.race([promise, runtime.#exited.then((code) => ({ code }))]);
    if (ended !== undefined) throw new Error(`the runtime ended with ${ended.code}:\n${runtime.output}`);
    return runtime;
  }

  /** Starts one that is expected to give up. */
  static async failing(options: RuntimeOptions = {}): Promise<{ code: number | null; output: string }> {
    await using runtime = new RuntimeProcess(options);
    const code = await runtime.#exited;
    return { code, output: runtime.output };
  }

  get output(): string {
    return this.#output.join('\n');
  }

  get developmentKey(): string {
    return readFileSync(join(this.dataDir, 'dev-key'), 'utf8').trim();
  }

  /** A request with the development key, or another. */
  fetch(path: string, init: RequestInit & { key?: string } = {}): Promise<Response> {
    const { key = this.developmentKey, ...rest } = init;
    return fetch(`${this.url}${path}`, {
      ...rest,
      headers: { authorization: `Bearer ${key}`, ...init.headers },
    });
  }

  post(path: string, body: unknown, init: RequestInit & { key?: string } = {}): Promise<Response> {
    const headers = { 'content-type': 'application/json', ...init.headers };
    return this.fetch(path, { ...init, method: 'POST', body: JSON.stringify(body), headers });
  }

  /** Runs a command and gives the answer's JSON, whatever it is. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers of any shape
  async exec(conversation: string, cmd: string[], more: Record<string, unknown> = {}): Promise<any> {
    const answer = await this.post(`/v1/conversations/${conversation}/exec`, { cmd, ...more });
    return answer.json();
  }

  /** Asks it to stop and resolves with its exit code. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return this.#exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      await this.stop('SIGTERM');
    }
    if (this.#ownsData) rmSync(this.dataDir, { recursive: true, force: true });
  }

  #read(line: string): void {
    this.#output.push(line);
    if (line.startsWith('{')) this.log.push(JSON.parse(line));
  }
}
