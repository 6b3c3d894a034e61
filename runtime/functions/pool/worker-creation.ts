import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerBackend, ContainerSpec, ContainerView } from '../../containers/container-backend.ts';
import { BerthError } from '../../contracts/errors.ts';
import type { ContainerId } from '../../contracts/ids.ts';
import { LABEL } from '../../contracts/labels.ts';
import type { ContainerEgress } from '../../egress-host/container-egress.ts';
import type { FunctionDefinition } from '../definitions/function-definition.ts';
import type { WorkerProbe } from './worker-probe.ts';

const READY_SECONDS = 10;
const POLL_MS = 10;
/** A busy machine may be silent once, for a program that does not listen yet. */
const SILENCES = 2;
const LAST_LINES = 20;
/** How often, and after how long again, it is looked whether a program has ended. */
const LOOKS = 4;
const LOOK_MS = 75;

interface Parts {
  backend: ContainerBackend;
  egress: ContainerEgress;
  probe: WorkerProbe;
  /** Resolves once the backend has the image. */
  getImage: (image: string, signal: AbortSignal) => Promise<void>;
  /** For the egress proxy beside it, on backends where it has one. */
  proxyEnv: (worker: ContainerId) => Record<string, string>;
}

/** The containers of workers: made from a definition, and ended. */
export class WorkerCreation {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Resolves once its program is there. Throws `IMAGE_PULL_FAILED`, `CONTAINER_CREATE_FAILED`, `HEALTH_CHECK_FAILED`;
   * what is there then is for the caller to end.
   */
  async create(worker: ContainerId, definition: FunctionDefinition, signal: AbortSignal): Promise<void> {
    const { backend, egress, getImage } = this.#parts;
    await getImage(definition.image, signal);
    const spec = { ...specOf(worker, definition), proxyEnv: this.#parts.proxyEnv(worker) };
    await backend.create(spec, signal);
    await egress.open(worker, undefined);
    await this.#untilItIsThere(worker, definition.port, signal);
  }

  async resume(worker: ContainerId): Promise<void> {
    await this.#parts.backend.resume(worker);
  }

  async pause(worker: ContainerId): Promise<void> {
    await this.#parts.backend.pause(worker);
  }

  /** How its program ended; undefined: it runs, or nothing is known of it. One whose connection broke may be ending just now. */
  async exitOf(worker: ContainerId): Promise<ContainerView['exit']> {
    for (let look = 1; ; look += 1) {
      const exit = (await this.#parts.backend.inspect(worker))?.exit;
      if (exit !== undefined || look === LOOKS) return exit;
      await sleep(LOOK_MS);
    }
  }

  /** Resolves once the backend has nothing of it. */
  async end(worker: ContainerId): Promise<void> {
    await this.#parts.backend.destroy(worker, { stopSeconds: 0 });
    await this.#parts.egress.stop(worker);
  }

  /** It answers, whatever it says; or it takes connections, and says nothing. */
  async #untilItIsThere(worker: ContainerId, port: number, signal: AbortSignal): Promise<void> {
    const { backend, probe } = this.#parts;
    const endpoint = await backend.endpoint(worker, port);
    const giveUp = performance.now() + READY_SECONDS * 1000;
    let looked = performance.now();
    let silences = 0;
    for (;;) {
      const said = await probe.ask(worker, endpoint);
      silences = said === 'silent' ? silences + 1 : 0;
      if (said === 'idle' || said === 'other' || silences === SILENCES) return;
      signal.throwIfAborted();
      const now = performance.now();
      let ended = false;
      if (now - looked > 500) {
        const state = (await backend.inspect(worker))?.state;
        ended = state === undefined || state === 'exited'; // it will not answer any more
        looked = now;
      }
      if (ended || now > giveUp) throw await this.#unhealthy(worker, port, ended);
      await sleep(POLL_MS);
    }
  }

  async #unhealthy(worker: ContainerId, port: number, ended: boolean): Promise<BerthError> {
    const { backend } = this.#parts;
    const exit = (await backend.inspect(worker).catch(() => undefined))?.exit;
    const last = (await backend.logs(worker, { tail: LAST_LINES }).catch(() => '')).trim();
    const code =
      exit === undefined ? '' : ` with exit code ${exit.code}${exit.oomKilled ? ', out of memory' : ''}`;
    const what = ended
      ? `the worker's program ended${code} before it listened`
      : `the worker's program did not answer on port ${port}, nor keep a connection to it, within ${READY_SECONDS} s`;
    return new BerthError('HEALTH_CHECK_FAILED', `${what}${last === '' ? '' : `: ${last.slice(-2000)}`}`);
  }
}

function specOf(
  worker: ContainerId,
  { of, image, env, port, resources, revision }: FunctionDefinition,
): ContainerSpec {
  return {
    id: worker,
    role: 'function',
    image,
    env: { ...env },
    labels: { [LABEL.tenant]: of.tenant, [LABEL.function]: of.name, [LABEL.revision]: revision },
    limits: {
      cpus: resources.cpus,
      memoryBytes: resources.memoryMb * 1024 ** 2,
      pids: resources.pids,
    },
    network: 'none',
    app: { port, readOnlyRoot: true },
  };
}
