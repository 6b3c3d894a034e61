import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { byTurns, type Figure, median, timed } from './figure.ts';

const MAIN = fileURLToPath(new URL('../../runtime/main.ts', import.meta.url));
const CLIENT = fileURLToPath(new URL('./client-exec.ts', import.meta.url));
const ROUNDS = 15;

/** `berth --help`, and `berth exec` against the same call by a program of the client's. Each is a process of its own. */
export async function commandLine(env: Record<string, string>, folder: string): Promise<Figure[]> {
  await using runtime = await RuntimeProcess.start({ env });
  await runtime.exec('bench', ['true']);
  const asking = {
    PATH: process.env.PATH ?? '',
    BERTH_URL: runtime.url,
    BERTH_API_KEY: runtime.developmentKey,
    // As the command keeps what was compiled; the program gets the same.
    NODE_COMPILE_CACHE: join(folder, 'compiled'),
  };
  const helps: number[] = [];
  for (let round = 0; round <= ROUNDS; round += 1)
    helps.push(await timed(() => ended([MAIN, '--help'], asking)));
  const calls = await byTurns(
    ROUNDS,
    () => timed(() => ended([MAIN, 'exec', '-n', 'bench', 'true'], asking)),
    () => timed(() => ended([CLIENT, 'bench', 'true'], asking)),
  );
  return [
    { name: 'berth --help', unit: 'ms', ours: median(helps.slice(1)), goal: 150 },
    {
      name: 'berth exec of true on a live conversation',
      unit: 'ms',
      ours: calls.ours,
      reference: { name: 'a program with the client', value: calls.reference },
      goal: 1.3,
    },
  ];
}

function ended(args: string[], env: Record<string, string>): Promise<void> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { env }, (error) => (error === null ? resolve() : reject(error)));
  });
}
