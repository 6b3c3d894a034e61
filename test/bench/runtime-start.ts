import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { type Figure, median } from './figure.ts';
import { memoryMegabytes } from './process-memory.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PORT = '17420';

/** The script keeps compiled code there; the rounds before have filled it. */
const AS_NPM_START = { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/berth') };

/** What any such service loads: its HTTP framework, its schemas, the client of its backend. */
const REFERENCE = `import express from 'express'; import { z } from 'zod'; import Docker from 'dockerode';
const app = express(); const schema = z.object({ a: z.string() }); new Docker({ socketPath: '/nowhere' });
app.get('/health', (request, response) => response.json(schema.parse({ a: 'ok' })));
app.listen(0, '127.0.0.1', () => console.log('ready'));
`;

/** \`npm start\` to a served \`/health\`, and the memory it then has, against its bare libraries. */
export async function runtimeStart(env: Record<string, string>): Promise<Figure[]> {
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) times.push(await npmStart(env));
  const ours: number[] = [];
  const reference: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    ours.push(await runtimeMegabytes(env));
    reference.push(await referenceMegabytes());
  }
  return [
    { name: 'npm start to a served /health', unit: 'ms', ours: median(times), goal: 1500 },
    {
      name: 'resident memory of the runtime on docker',
      unit: 'MB',
      ours: median(ours),
      reference: { name: 'express + zod + dockerode', value: median(reference) },
      goal: 1.4,
    },
  ];
}

async function npmStart(env: Record<string, string>): Promise<number> {
  const dataDir = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  const started = performance.now();
  const child = spawn('npm', ['start', '--silent'], {
    cwd: ROOT,
    detached: true, // npm's own child gets the signal too
    stdio: 'ignore',
    env: { ...process.env, ...env, PORT, BERTH_DATA_DIR: dataDir },
  });
  const exited = once(child, 'exit');
  while (
    !(await fetch(`http://127.0.0.1:${PORT}/health`).then(
      ({ ok }) => ok,
      () => false,
    ))
  )
    await sleep(5);
  const ms = performance.now() - started;
  if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM');
  await exited;
  rmSync(dataDir, { recursive: true });
  return ms;
}

async function runtimeMegabytes(env: Record<string, string>): Promise<number> {
  await using runtime = await RuntimeProcess.start({ env: { ...env, ...AS_NPM_START } });
  await fetch(`${runtime.url}/health`);
  return memoryMegabytes(runtime.child.pid, 'VmRSS');
}

async function referenceMegabytes(): Promise<number> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', REFERENCE], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const megabytes = memoryMegabytes(child.pid, 'VmRSS');
  child.kill();
  await once(child, 'exit');
  return megabytes;
}
