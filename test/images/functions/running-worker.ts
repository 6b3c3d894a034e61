import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';

export type Language = 'node' | 'python';

const at = (path: string): string => fileURLToPath(new URL(`../../../images/${path}`, import.meta.url));

/** As the images and the process backend start them. */
const COMMANDS: Record<Language, string[]> = {
  node: [process.execPath, at('function-node/server/main.ts')],
  python: ['python3', '-B', at('function-python/server/main.py')],
};

/** The real program with a handler of the test's own, until the test ends. */
export class RunningWorker {
  readonly folder = mkdtempSync(join(tmpdir(), 'berth-worker-'));
  readonly child: ChildProcess;
  /** All it has printed, to either output. */
  output = '';
  port = 0;

  private constructor(language: Language, env: Record<string, string>, files: Record<string, string>) {
    for (const [name, content] of Object.entries(files)) writeFileSync(join(this.folder, name), content);
    const [program = '', ...args] = COMMANDS[language];
    this.child = spawn(program, args, {
      cwd: this.folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH ?? '', HOME: this.folder, TMPDIR: this.folder, PORT: '0', ...env },
    });
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (data: Buffer) => {
        this.output += data;
      });
  }

  /** Not listening yet, and perhaps never. It finds the files where it begins. */
  static spawn(language: Language, env: Record<string, string>, files: Record<string, string> = {}) {
    const worker = new RunningWorker(language, env, files);
    onTestFinished(() => worker.#stop());
    return worker;
  }

  static async start(language: Language, source: string, env: Record<string, string> = {}) {
    const worker = RunningWorker.spawn(language, { HANDLER_SOURCE: source, ...env });
    worker.port = Number(await worker.untilItSays(/listens on (\d+)/));
    return worker;
  }

  /** What the pattern's group found. */
  async untilItSays(pattern: RegExp): Promise<string> {
    return vi.waitFor(
      () => {
        const found = pattern.exec(this.output);
        if (found === null) throw new Error(`it said only: ${this.output}`);
        return found[1] ?? '';
      },
      { timeout: 10_000, interval: 5 },
    );
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/`;
  }

  post(body?: string | Uint8Array<ArrayBuffer>, init: RequestInit = {}): Promise<Response> {
    return fetch(this.url, { method: 'POST', body: body ?? null, ...init });
  }

  /** The status and the answer's JSON. */
  async ask(request: unknown): Promise<[number, unknown]> {
    const answer = await this.post(JSON.stringify(request));
    return [answer.status, await answer.json()];
  }

  /** A file that a handler may wait for. */
  release(): void {
    writeFileSync(join(this.folder, 'released'), '');
  }

  async exitCode(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'close');
    return this.child.exitCode;
  }

  async #stop(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exitCode();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
