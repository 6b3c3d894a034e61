import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const MAIN = fileURLToPath(new URL('../../runtime/main.ts', import.meta.url));

/** Where commands keep what Node has compiled: each of them starts in a third of the time then. */
export const COMPILED = { XDG_CACHE_HOME: process.env.XDG_CACHE_HOME || join(homedir(), '.cache') };

export interface CommandEnd {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the `berth` command to its end. */
export function berth(
  args: string[],
  env: Record<string, string> = {},
  { cwd, input = '' }: { cwd?: string; input?: string | Uint8Array } = {},
): Promise<CommandEnd> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [MAIN, ...args],
      { env: { PATH: process.env.PATH, ...COMPILED, ...env }, cwd, maxBuffer: 2 ** 27 },
      (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
      },
    );
    child.stdin?.on('error', () => undefined); // it may end before it has read all
    child.stdin?.end(input);
  });
}
