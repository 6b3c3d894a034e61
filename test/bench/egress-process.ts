import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type NetConnectOpts } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { must } from '../support/must.ts';

const READY_MS = 10_000;
const LOOK_MS = 20;
const KEPT_CHARACTERS = 2000;

interface StartOptions {
  /** The only core that it runs on. */
  readonly core?: number;
}

/** A process that a row starts, and that ends with the row, or with the bench. */
export class BenchProcess implements AsyncDisposable {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #kill = (): boolean => this.#child.kill('SIGKILL');
  readonly #exited: Promise<unknown>;
  #complaints = '';

  constructor(command: readonly string[], { core }: StartOptions = {}) {
    const [program, ...args] = core === undefined ? command : ['taskset', '-c', `${core}`, ...command];
    this.#name = must(command[0]);
    this.#child = spawn(must(program), args, { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#exited = once(this.#child, 'exit').catch((error) => this.#complain(`${error}`));
    process.once('exit', this.#kill);
    this.#child.stderr?.on('data', (data) => this.#complain(`${data}`));
  }

  get pid(): number {
    return must(this.#child.pid);
  }

  /** A program of this folder, with one argument as JSON. */
  static program(file: URL, argument: unknown = null, options: StartOptions = {}): BenchProcess {
    return new BenchProcess([process.execPath, fileURLToPath(file), JSON.stringify(argument)], options);
  }

  /** The JSON of its first line. */
  async said(): Promise<unknown> {
    const lines = createInterface({ input: must(this.#child.stdout) });
    const [line] = await Promise.race([once(lines, 'line'), this.#early()]);
    return JSON.parse(line);
  }

  /** Resolves once something takes connections there. */
  async listensAt(address: NetConnectOpts): Promise<void> {
    this.#child.stdout?.resume();
    const early = this.#early();
    const deadline = performance.now() + READY_MS;
    while (!(await Promise.race([takesConnections(address), early]))) {
      if (performance.now() > deadline) throw this.#failed(`does not listen after ${READY_MS / 1000} s`);
      await sleep(LOOK_MS);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.off('exit', this.#kill);
    this.#kill();
    await this.#exited;
  }

  /** Rejects when it ends. */
  async #early(): Promise<never> {
    await this.#exited;
    throw this.#failed('ended before its time');
  }

  #complain(text: string): void {
    this.#complaints = `${this.#complaints}${text}`.slice(-KEPT_CHARACTERS);
  }

  #failed(what: string): Error {
    return new Error(`${this.#name} ${what}. It said: ${this.#complaints.trim() || 'nothing'}`);
  }
}

function takesConnections(address: NetConnectOpts): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(address);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
