import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from '../../containers/container-backend.ts';

/**
 * Asked of every worker before its first call, where any answer will do, and after a call that was broken off, where
 * only a 200 says that nothing of that call goes on. Our images answer it; others answer that they know no such path.
 */
export const IDLE_PATH = '/_berth/idle';
const ASK_MS = 2_000;
const POLL_MS = 10;

/** What its program says; `silent`: nothing yet, though it may; undefined: nothing that is HTTP. */
export function askIdle(endpoint: Endpoint): Promise<'idle' | 'other' | 'silent' | undefined> {
  const where =
    endpoint.kind === 'socket' ? { socketPath: endpoint.path } : { host: endpoint.host, port: endpoint.port };
  return new Promise((resolve) => {
    const call = request(
      { ...where, path: IDLE_PATH, method: 'GET', timeout: ASK_MS, agent: false },
      (answer) => {
        const said = answer.statusCode === 200 ? 'idle' : 'other';
        answer.destroy();
        resolve(said);
      },
    );
    call.on('timeout', () => {
      resolve('silent');
      call.destroy();
    });
    call.on('error', () => resolve(undefined));
    call.end();
  });
}

/** Whether it says within the time that it does nothing. */
export async function becomesIdle(endpoint: Endpoint, seconds: number): Promise<boolean> {
  const giveUp = performance.now() + seconds * 1000;
  for (let waitMs = POLL_MS; performance.now() < giveUp; waitMs = Math.min(waitMs * 2, 250)) {
    if ((await askIdle(endpoint)) === 'idle') return true;
    await sleep(waitMs);
  }
  return false;
}
