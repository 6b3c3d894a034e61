import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Duplex, Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { spawnProblem } from '../exec/spawn-problem.ts';
import { Problem } from '../problem.ts';
import type { TerminalOrder } from './terminal-request.ts';

const PROGRAM = fileURLToPath(new URL('./pty.py', import.meta.url));

/** A program of ours that holds a terminal, with a command in it. Node has no terminals of its own. */
export interface PtyProcess {
  /** Of the command, which leads a session with this number. */
  leader: number;
  typed: Writable;
  shown: Readable;
  sizes: Writable;
  /** The command's exit code, null where a signal ended it, once all it has shown was read. */
  ended: Promise<number | null>;
  kill(): void;
}

/** `path`: where Python is looked for. Throws a Problem where there is no such command, folder, or Python to do it with. */
export async function startPty(order: TerminalOrder, path: string): Promise<PtyProcess> {
  const { cmd, cwd, env, rows, cols } = order;
  const program = { program: cmd[0], cwd };
  let child: ChildProcess;
  try {
    // Isolated: nothing of the user's folders and variables is this program's own.
    const args = ['-I', '-S', PROGRAM, `${rows}`, `${cols}`, ...cmd];
    child = spawn(findPython(path), args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit', 'pipe'] });
  } catch (error) {
    throw error instanceof Problem ? error : spawnProblem(error, program);
  }
  const failed = new Promise<never>((_, reject) => child.once('error', reject));
  failed.catch(() => {}); // told by `kill`, too, when it comes too late
  // Pipes, as `stdio` says: Node's are open both ways.
  const [typed, shown, , control] = child.stdio as unknown as [Writable, Readable, null, Duplex];
  // A helper that has ended breaks its pipes; its end is told below.
  for (const pipe of [typed, control]) pipe.on('error', () => {});
  const said = new Map<string, string>();
  const started = new Promise<void>((resolve) => {
    createInterface({ input: control }).on('line', (line) => {
      const [word = '', value = ''] = line.split(' ', 2);
      said.set(word, value);
      resolve();
    });
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  try {
    await Promise.race([started, closed, failed]);
  } catch (error) {
    throw spawnProblem(error, program);
  }
  const leader = Number(said.get('started'));
  if (!Number.isSafeInteger(leader)) {
    child.kill('SIGKILL');
    throw spawnProblem(Object.assign(new Error('no terminal'), { code: said.get('failed') }), program);
  }
  return {
    leader,
    typed,
    shown,
    sizes: control,
    ended: closed.then(() => (said.has('exit') ? Number(said.get('exit')) : null)),
    kill: () => void child.kill('SIGKILL'),
  };
}

function findPython(path: string): string {
  const folders = path.split(delimiter);
  const found = folders.map((folder) => join(folder, 'python3')).find(isExecutable);
  if (found !== undefined) return found;
  throw new Problem('NOT_SUPPORTED', 'terminals need python3, which this container does not have');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
