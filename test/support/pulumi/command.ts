import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface CommandOutcome {
  readonly code: number | null;
  readonly stdout: string;
  /** Everything that it said, in order. */
  readonly output: string;
}

/** Runs a program to its end. One that takes longer is killed with all that it started. */
export async function runCommand(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string | undefined>; withinMs: number },
): Promise<CommandOutcome> {
  const { cwd, env, withinMs } = options;
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  let stdout = '';
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    stdout += data;
    output += data;
  });
  child.stderr.on('data', (data: Buffer) => {
    output += data;
  });
  const killer = setTimeout(() => {
    output += `\nkilled: not done in ${withinMs / 1000} s\n`;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, withinMs);
  const [code] = await once(child, 'close').finally(() => clearTimeout(killer));
  return { code, stdout, output };
}
