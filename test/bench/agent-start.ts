import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../../images/builder/bundle.ts';
import { firstAnswer } from './agent-call.ts';
import { byTurns, type Figure } from './figure.ts';
import { memoryMegabytes } from './process-memory.ts';

const BARE = `import { createServer } from 'node:http';
createServer((request, response) => response.end('ok')).listen(process.env.AGENT_SOCKET);
`;

/** The bundled agent against a bare Node HTTP server: time to the first answer, and memory at rest. */
export async function agentStart(): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  const entry = fileURLToPath(new URL('../../images/workspace-base/agent/main.ts', import.meta.url));
  await bundle({ entry, name: 'agent.mjs', folder, oneFile: true });
  writeFileSync(join(folder, 'bare.mjs'), BARE);
  let runs = 0;
  let anonymous = 0;

  async function start(program: string, look?: (child: ChildProcess) => void): Promise<number> {
    runs += 1;
    const socket = join(folder, `${runs}.sock`);
    const started = performance.now();
    const child = spawn(process.execPath, ['--disable-sigusr1', join(folder, program)], {
      env: {
        AGENT_SOCKET: socket,
        AGENT_TOKEN: 'a-token-for-the-bench',
        AGENT_WORKSPACE: folder,
        PATH: process.env.PATH,
      },
      stdio: 'inherit',
    });
    await firstAnswer(socket, '/health');
    const ms = performance.now() - started;
    look?.(child);
    child.kill('SIGKILL');
    await once(child, 'exit');
    return ms;
  }

  const result = await byTurns(
    15,
    () => start('agent.mjs', (child) => (anonymous = memoryMegabytes(child.pid, 'RssAnon'))),
    () => start('bare.mjs'),
  );
  rmSync(folder, { recursive: true });
  return [
    {
      name: 'the agent, ready',
      unit: 'ms',
      ours: result.ours,
      reference: { name: 'a bare Node HTTP server', value: result.reference },
      goal: 1.5,
    },
    { name: "the agent's anonymous memory", unit: 'MB', ours: anonymous, goal: 40 },
  ];
}
