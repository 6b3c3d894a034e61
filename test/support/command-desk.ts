import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { berth, COMPILED, type CommandEnd, MAIN } from './berth-command.ts';
import { RuntimeProcess } from './runtime-process.ts';
import { TerminalSession } from './terminal/terminal-session.ts';

/** Someone who has started a service in a folder, and works there with the command. */
export class CommandDesk implements AsyncDisposable {
  readonly folder: string;
  readonly runtime: RuntimeProcess;
  /** Everything that commands have said. */
  readonly said: string[] = [];

  private constructor(folder: string, runtime: RuntimeProcess) {
    this.folder = folder;
    this.runtime = runtime;
  }

  static async open(env: Record<string, string> = {}): Promise<CommandDesk> {
    const folder = mkdtempSync(join(tmpdir(), 'berth-desk-'));
    mkdirSync(join(folder, 'bin'));
    const program = `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`;
    writeFileSync(join(folder, 'bin/berth'), program, { mode: 0o755 });
    const runtime = await RuntimeProcess.start({
      dataDir: join(folder, '.berth'),
      env: { CONTAINER_MANAGER_TYPE: 'process', ...env },
    });
    return new CommandDesk(folder, runtime);
  }

  /** For programs of theirs: `berth` is found, and nothing is said of the service but its port. */
  get env(): Record<string, string> {
    const PATH = `${this.at('bin')}:${process.env.PATH}`;
    return { PATH, PORT: new URL(this.runtime.url).port, ...COMPILED };
  }

  at(...names: string[]): string {
    return join(this.folder, ...names);
  }

  async call(args: string[], input: string | Uint8Array = '', env = {}): Promise<CommandEnd> {
    const end = await berth(args, { ...this.env, ...env }, { cwd: this.folder, input });
    this.said.push(end.stdout, end.stderr);
    return end;
  }

  /** A line of theirs in bash, where the command is one of several. */
  async bash(script: string): Promise<{ stdout: string; stderr: string }> {
    const { folder: cwd, env } = this;
    const bash = spawn('bash', ['-c', script], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr] = await Promise.all([text(bash.stdout), text(bash.stderr)]);
    this.said.push(stdout, stderr);
    return { stdout, stderr };
  }

  /** What a command says to a program. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers of any shape
  async json(args: string[]): Promise<any> {
    const { code, stdout, stderr } = await this.call([...args, '--json']);
    if (code !== 0) throw new Error(`berth ${args.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout);
  }

  /** A command at a terminal. */
  session(args: string[], env = {}, columns = 100): TerminalSession {
    const { folder: cwd } = this;
    return new TerminalSession(['berth', ...args], { cwd, env: { ...this.env, ...env }, columns });
  }

  async atTerminal(args: string[], env = {}, columns = 100): Promise<{ code: number; shown: string }> {
    await using terminal = this.session(args, env, columns);
    const code = await terminal.ended;
    this.said.push(terminal.shown);
    return { code, shown: terminal.shown };
  }

  /** The ids of those that have a container. */
  async conversations(): Promise<string[]> {
    const { conversations } = await this.json(['ps']);
    return conversations.map(({ conversation_id }: { conversation_id: string }) => conversation_id);
  }

  /** Throws where a key was said: it is nobody's business but the service's. */
  async [Symbol.asyncDispose](): Promise<void> {
    const key = this.runtime.developmentKey;
    await this.runtime[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
    if (this.said.some((text) => text.includes(key))) throw new Error('a command has told the key');
  }
}
