import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const BATCH = 32;
const REFILL_BELOW = 8;

/**
 * Named pipes made ahead of need, for the standard streams of commands. Node itself would hand out
 * socket pairs, and a socket can't be opened by name: `echo >/dev/stderr` and `cat /dev/stdin` fail on one.
 */
export class PipeSupply {
  #directory: string | undefined;
  #ready: string[] = [];
  #made = 0;
  #filling: Promise<boolean> | undefined;

  /** The names of `count` pipes that nobody has used, or undefined when none can be made. */
  async take(count: number): Promise<string[] | undefined> {
    while (this.#ready.length < count) if (!(await this.fill())) return undefined;
    const taken = this.#ready.splice(0, count);
    if (this.#ready.length < REFILL_BELOW) void this.fill();
    return taken;
  }

  /** Forgets pipes that turned out to be gone, as after `rm -rf /tmp/*`. */
  discard(): void {
    this.close();
    this.#ready = [];
    this.#directory = undefined;
  }

  /** Makes another batch; returns whether that worked. */
  fill(): Promise<boolean> {
    this.#filling ??= this.#make().finally(() => {
      this.#filling = undefined;
    });
    return this.#filling;
  }

  close(): void {
    if (!this.#directory) return;
    try {
      rmSync(this.#directory, { recursive: true, force: true });
    } catch {
      // An empty folder stays in the temporary one.
    }
  }

  async #make(): Promise<boolean> {
    try {
      this.#directory ??= mkdtempSync(join(tmpdir(), 'berth-pipes-'));
      const directory = this.#directory;
      const names = Array.from({ length: BATCH }, () => join(directory, String(this.#made++)));
      await makePipes(names);
      this.#ready.push(...names);
      return true;
    } catch {
      // Commands then get Node's own pipes, which do for all but the few that open them by name.
      this.discard();
      return false;
    }
  }
}

function makePipes(names: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile('mkfifo', ['-m', '600', ...names], (error) => (error ? reject(error) : resolve()));
  });
}
