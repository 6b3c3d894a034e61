import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Endpoint } from '../../containers/container-backend.ts';
import type { ContainerId } from '../../contracts/ids.ts';

/**
 * Asked of every worker before its first call, where any answer will do, and after a call that was broken off, where
 * only a 200 says that nothing of that call goes on. Our images answer it; others answer that they know no such path,
 * and some say nothing to what they do not know: those are there as long as they keep the connection.
 */
export const IDLE_PATH = '/_berth/idle';
const ASK_MS = 2_000;
/** Of one that has been silent before. A program that is gone shows at once in a connection that closes. */
const ASK_SILENT_MS = 250;
const POLL_MS = 10;
/** Some are ended elsewhere, and nobody tells. */
const MOST_REMEMBERED = 10_000;

/** `silent`: it has taken the connection, and says nothing; undefined: it is not there, or speaks no HTTP. */
export type Said = 'idle' | 'other' | 'silent' | undefined;

/** Asks whether the programs of workers are there, and remembers which say nothing: they are not waited for twice. */
export class WorkerProbe {
  readonly #silent = new Set<ContainerId>();

  async ask(worker: ContainerId, endpoint: Endpoint): Promise<Said> {
    const said = await askIdle(endpoint, this.#silent.has(worker) ? ASK_SILENT_MS : ASK_MS);
    if (said === 'silent') this.#remember(worker);
    else this.#silent.delete(worker);
    return said;
  }

  forget(worker: ContainerId): void {
    this.#silent.delete(worker);
  }

  #remember(worker: ContainerId): void {
    this.#silent.add(worker);
    const [oldest] = this.#silent;
    if (oldest !== undefined && this.#silent.size > MOST_REMEMBERED) this.#silent.delete(oldest);
  }
}

function askIdle(endpoint: Endpoint, withinMs: number): Promise<Said> {
  const where =
    endpoint.kind === 'socket' ? { socketPath: endpoint.path } : { host: endpoint.host, port: endpoint.port };
  return new Promise((resolve) => {
    const call = request(
      { ...where, path: IDLE_PATH, method: 'GET', timeout: withinMs, agent: false },
      (answer) => {
        const said = answer.statusCode === 200 ? 'idle' : 'other';
        answer.destroy();
        resolve(said);
      },
    );
    call.on('timeout', () => {
      resolve(call.socket?.connecting === false ? 'silent' : undefined);
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
    if ((await askIdle(endpoint, ASK_MS)) === 'idle') return true;
    await sleep(waitMs);
  }
  return false;
}
