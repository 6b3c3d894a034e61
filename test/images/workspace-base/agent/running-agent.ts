import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { onTestFinished, vi } from 'vitest';
import type { ExecRequest, ExecResult } from '../../../../runtime/contracts/agent-protocol.ts';

const MAIN = new URL('../../../../images/workspace-base/agent/main.ts', import.meta.url).pathname;

export const TOKEN = 'a-token-for-tests-0123456789';

export interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  trailers: NodeJS.Dict<string>;
  body: Buffer;
  /** The body as JSON; tests look at what they expect of it. */
  json: ReturnType<typeof JSON.parse>;
}

export interface CallOptions {
  headers?: Record<string, string>;
  body?: string | Buffer | Readable | object;
  token?: string | null;
}

/** The real agent as a child process, on a socket in a folder of its own. */
export class RunningAgent {
  readonly child: ChildProcess;
  /** The workspace. */
  readonly root: string;
  /** Beside the workspace: where no link may lead. */
  readonly outside: string;
  /** Where to reach it; for a test to move. */
  socket: string;
  readonly #folder: string;
  readonly #connections = new Agent({ keepAlive: true });
  stderr = '';

  private constructor(env: Record<string, string>, prefix: string[]) {
    this.#folder = realpathSync(mkdtempSync(join(tmpdir(), 'berth-agent-')));
    this.root = join(this.#folder, 'workspace');
    this.outside = join(this.#folder, 'outside');
    this.socket = join(this.#folder, 'agent.sock');
    const temporary = join(this.#folder, 'tmp');
    for (const path of [this.root, this.outside, temporary]) mkdirSync(path);
    const [program = '', ...args] = [...prefix, process.execPath, MAIN];
    this.child = spawn(program, args, {
      stdio: ['ignore', 'inherit', 'pipe'],
      env: {
        PATH: process.env.PATH ?? '',
        HOME: '/nonexistent',
        TMPDIR: temporary,
        AGENT_TOKEN: TOKEN,
        AGENT_SOCKET: this.socket,
        AGENT_WORKSPACE: this.root,
        ...env,
      },
    });
    this.child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
  }

  /** Starts an agent and waits until it answers. */
  static async start(env: Record<string, string> = {}, prefix: string[] = []): Promise<RunningAgent> {
    const agent = RunningAgent.spawn(env, prefix);
    await vi.waitFor(() => agent.call('GET', '/health'), { timeout: 20_000, interval: 10 });
    return agent;
  }

  /** Starts an agent for the test that is running. */
  static async startForTest(env: Record<string, string> = {}): Promise<RunningAgent> {
    const agent = await RunningAgent.start(env);
    onTestFinished(() => agent.stop());
    return agent;
  }

  /** Starts an agent that need not come up. */
  static spawn(env: Record<string, string> = {}, prefix: string[] = []): RunningAgent {
    return new RunningAgent(env, prefix);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** Sends a request and returns when its answer begins; the path goes out exactly as given. */
  async open(method: string, path: string, options: CallOptions = {}): Promise<IncomingMessage> {
    const { body, token = TOKEN } = options;
    const req = request({
      socketPath: this.socket,
      agent: this.#connections,
      method,
      path,
      headers: { ...(token !== null && { authorization: `Bearer ${token}` }), ...options.headers },
    });
    const answer = once(req, 'response');
    if (body instanceof Readable) void pipeline(body, req).catch(() => {});
    else if (typeof body === 'string' || body instanceof Buffer) req.end(body);
    else req.end(body && JSON.stringify(body));
    const [res] = await answer;
    return res;
  }

  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const res = await this.open(method, path, options);
    const body = await buffer(res);
    const isJson = res.headers['content-type'] === 'application/json' && body.length > 0;
    return {
      status: res.statusCode ?? 0,
      headers: res.headers,
      trailers: res.trailers,
      body,
      json: isJson ? JSON.parse(body.toString()) : undefined,
    };
  }

  async exec(request: ExecRequest): Promise<ExecResult> {
    const { status, json } = await this.call('POST', '/exec', { body: request });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(json)}`);
    return json;
  }

  /** Runs a shell script. */
  sh(script: string, more: Partial<ExecRequest> = {}): Promise<ExecResult> {
    return this.exec({ cmd: ['sh', '-c', script], ...more });
  }

  /** The agent's own anonymous memory, in kB. */
  anonymousMemory(): number {
    return Number(/RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1]);
  }

  /** The agent's children as the kernel sees them, zombies too. */
  children(): { pid: number; state: string }[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => ({ pid: Number(name), ...readStat(name) }))
      .filter(({ parent }) => parent === this.pid)
      .map(({ pid, state }) => ({ pid, state }));
  }

  /** Resolves with the exit code. */
  async exited(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  async stop(): Promise<void> {
    this.#connections.destroy();
    this.child.kill('SIGTERM');
    await this.exited();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

function readStat(pid: string): { state: string; parent: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return { state: 'gone', parent: 0 };
  }
}

/** Whether a process exists and is not just waiting to be reaped. */
export function isAlive(pid: number): boolean {
  return !['gone', 'Z', 'X'].includes(readStat(String(pid)).state);
}
