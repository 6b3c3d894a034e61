import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

const MAIN = new URL('../../../images/workspace-editor/server/main.ts', import.meta.url).pathname;

/** The real editor as the process backend starts it, with a home of its own. */
export class RunningEditor {
  readonly home = mkdtempSync(join(tmpdir(), 'berth-editor-'));
  readonly child: ChildProcess;
  port = 0;

  private constructor(env: Record<string, string>) {
    this.child = spawn(process.execPath, [MAIN], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH ?? '', HOME: this.home, PORT: '0', ...env },
    });
  }

  /** Ends with the test; in `beforeAll`, `stop` is the caller's. */
  static async start(env: Record<string, string> = {}, endsWithTest = true): Promise<RunningEditor> {
    const editor = new RunningEditor(env);
    if (endsWithTest) onTestFinished(() => editor.stop());
    if (editor.child.stdout === null) throw new Error('stdout is a pipe');
    const [line] = await once(createInterface({ input: editor.child.stdout }), 'line');
    editor.port = Number(/\d+$/.exec(line)?.[0]);
    return editor;
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const ended = once(this.child, 'exit');
      this.child.kill();
      await ended;
    }
    // A shell that is hung up on still writes its history.
    rmSync(this.home, { recursive: true, force: true, maxRetries: 10 });
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  call(
    method: string,
    name: string,
    query: Record<string, string> = {},
    init: RequestInit = {},
  ): Promise<Response> {
    return fetch(`${this.url}api/${name}?${new URLSearchParams(query)}`, { ...init, method });
  }

  /** The answer's JSON; tests look at what they expect of it. */
  async ask(...request: Parameters<RunningEditor['call']>): Promise<ReturnType<typeof JSON.parse>> {
    return JSON.parse(await (await this.call(...request)).text());
  }

  /** In MB. */
  memory(): number {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.child.pid}/status`, 'utf8'))?.[1]) / 1024;
  }
}
