import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SHELL = fileURLToPath(new URL('./session.sh', import.meta.url));

export interface Ran {
  printed: string;
  /** Of the commands that failed, a line each. */
  failed: string;
  complained: string;
}

/** A shell in a folder that looks like a checkout of this repository, where what commands write is nobody else's. */
export class PageSession implements AsyncDisposable {
  readonly #folder: string;
  readonly #checkout: string;
  readonly #shell: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterableIterator<string>;
  #blocks = 0;

  /** `folder` is the session's own. */
  constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#checkout = join(folder, 'berth');
    mkdirSync(this.#checkout);
    for (const name of readdirSync(ROOT)) {
      if (name !== '.git' && name !== '.berth') symlinkSync(join(ROOT, name), join(this.#checkout, name));
    }
    this.#shell = spawn('bash', ['--noprofile', '--norc'], {
      cwd: this.#checkout,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, SESSION: this.#folder, ...env },
      detached: true,
    });
    this.#shell.stderr.resume();
    this.#lines = createInterface({ input: this.#shell.stdout })[Symbol.asyncIterator]();
    this.#shell.stdin.write(`source '${SHELL}'\n`);
  }

  /** Where a page's own files belong. */
  write(name: string, text: string): void {
    const file = join(this.#checkout, name);
    mkdirSync(dirname(file), { recursive: true });
    rmSync(file, { force: true }); // never through a link
    writeFileSync(file, text);
  }

  async run(commands: string): Promise<Ran> {
    const name = `block-${++this.#blocks}`;
    writeFileSync(join(this.#folder, `${name}.sh`), commands);
    await this.#say(`run_block ${name}`, `over: ${name}`);
    return {
      printed: this.#read(`${name}.out`),
      failed: this.#read('failed'),
      complained: this.#read(`${name}.err`),
    };
  }

  /** What the services wrote, for whoever has to find out why a page failed. */
  get serviceLogs(): string {
    const logs = readdirSync(this.#folder).filter((name) => /^service-\d+\.log$/.test(name));
    return logs.map((name) => this.#read(name).slice(-4000)).join('\n');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#say('end_session', 'over: session').catch(() => {}); // a shell that has ended leaves nothing to say
    this.#shell.stdin.end('exit\n');
    try {
      if (this.#shell.pid !== undefined) process.kill(-this.#shell.pid, 'SIGKILL');
    } catch {} // the whole group has ended
  }

  async #say(command: string, until: string): Promise<void> {
    this.#shell.stdin.write(`${command}\n`);
    for (;;) {
      const { done, value } = await this.#lines.next();
      if (done) throw new Error(`the shell of the page ended at ${command}`);
      if (value === until) return;
    }
  }

  #read(name: string): string {
    return readFileSync(join(this.#folder, name), 'utf8');
  }
}
