import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ContainerBackend, ContainerView, Endpoint, Limits } from '../containers/container-backend.ts';
import { BerthError } from '../contracts/errors.ts';
import {
  type ContainerId,
  homeVolume,
  type TenantId,
  type WorkspaceId,
  workspaceContainerId,
} from '../contracts/ids.ts';
import { LABEL } from '../contracts/labels.ts';
import type { ContainerEgress } from '../egress-host/container-egress.ts';

export const WORKSPACE_PORT = 8080;
const MOUNT = '/home/coder';
const USER = '1000:1000';
const POLL_MS = 10;
const ASK_MS = 2_000;
const LAST_LINES = 20;

export interface InstanceSettings {
  limits: Limits;
  reservations: Pick<Limits, 'cpus' | 'memoryBytes'>;
  healthCheckSeconds: number;
}

interface Parts {
  backend: ContainerBackend;
  egress: ContainerEgress;
  /** For the egress proxy beside it, on backends where it has one. */
  proxyEnv: (container: ContainerId) => Record<string, string>;
  settings: InstanceSettings;
}

/**
 * The containers of workspaces, by the workspace's id alone. It knows no database: whether there is a container is
 * asked of the backend, so that everything can be done again.
 */
export class InstanceController {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * Resolves once its program answers. One that runs is the same; anything else of it is made anew. Throws
   * `IMAGE_PULL_FAILED`, `CONTAINER_CREATE_FAILED`, `VOLUME_NOT_FOUND`, `HEALTH_CHECK_FAILED`.
   */
  async start(
    workspace: { id: WorkspaceId; tenant: TenantId; imageRef: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { backend, egress } = this.#parts;
    const id = workspaceContainerId(workspace.id);
    await backend.create(this.#spec(workspace), signal);
    await egress.open(id, undefined).catch((error) => this.#explained(workspace.id, error));
    await this.#untilItAnswers(workspace.id, signal);
  }

  /** Kills it at once: its files are on the volume. With an incarnation: only that very one. Absent: fine. */
  async delete(workspace: WorkspaceId, incarnation?: string): Promise<void> {
    const { backend, egress } = this.#parts;
    const id = workspaceContainerId(workspace);
    await backend.destroy(id, {
      stopSeconds: 0,
      ...(incarnation === undefined ? {} : { engineId: incarnation }),
    });
    if ((await backend.inspect(id)) === undefined) await egress.stop(id);
  }

  async isRunning(workspace: WorkspaceId): Promise<boolean> {
    return (await this.find(workspace))?.state === 'running';
  }

  find(workspace: WorkspaceId): Promise<ContainerView | undefined> {
    return this.#parts.backend.inspect(workspaceContainerId(workspace));
  }

  #spec({ id, tenant, imageRef }: { id: WorkspaceId; tenant: TenantId; imageRef: string }) {
    const { proxyEnv, settings } = this.#parts;
    const { limits, reservations } = settings;
    const container = workspaceContainerId(id);
    return {
      id: container,
      role: 'workspace' as const,
      image: imageRef,
      env: { HOME: MOUNT },
      proxyEnv: proxyEnv(container),
      labels: { [LABEL.workspaceId]: id, [LABEL.tenant]: tenant },
      limits,
      network: 'none' as const,
      app: {
        port: WORKSPACE_PORT,
        user: USER,
        volume: { name: homeVolume(id), mount: MOUNT },
        reservations,
        readOnlyRoot: false,
      },
    };
  }

  async #untilItAnswers(workspace: WorkspaceId, signal: AbortSignal): Promise<void> {
    const { backend, settings } = this.#parts;
    const id = workspaceContainerId(workspace);
    const giveUp = performance.now() + settings.healthCheckSeconds * 1000;
    const endpoint = await backend.endpoint(id, WORKSPACE_PORT);
    let looked = performance.now();
    while (!(await answers(endpoint))) {
      signal.throwIfAborted();
      const now = performance.now();
      // One that has ended will not answer any more.
      const ended = now - looked > 1000 && (await this.#hasEnded(workspace));
      if (now - looked > 1000) looked = now;
      if (ended || now > giveUp) throw await this.#unhealthy(workspace, ended);
      await sleep(POLL_MS);
    }
  }

  /** A proxy that is a part of the container ends with its program. */
  async #explained(workspace: WorkspaceId, error: unknown): Promise<never> {
    throw (await this.#hasEnded(workspace)) ? await this.#unhealthy(workspace, true) : error;
  }

  async #hasEnded(workspace: WorkspaceId): Promise<boolean> {
    const found = await this.find(workspace);
    return found === undefined || found.state === 'exited';
  }

  async #unhealthy(workspace: WorkspaceId, ended: boolean): Promise<BerthError> {
    const { backend, settings } = this.#parts;
    const id = workspaceContainerId(workspace);
    const found = await this.find(workspace).catch(() => undefined);
    const last = await backend.logs(id, { tail: LAST_LINES }).catch(() => '');
    const what = ended
      ? `its program ended${found?.exit === undefined ? '' : ` with exit code ${found.exit.code}`} before it listened`
      : `its program did not answer on port ${WORKSPACE_PORT} within ${settings.healthCheckSeconds} s`;
    return new BerthError(
      'HEALTH_CHECK_FAILED',
      `${what}${last.trim() === '' ? '' : `: ${last.trim().slice(-2000)}`}`,
    );
  }
}

/** Whether anything that speaks HTTP answers; what it says does not matter. */
function answers(endpoint: Endpoint): Promise<boolean> {
  const where =
    endpoint.kind === 'socket' ? { socketPath: endpoint.path } : { host: endpoint.host, port: endpoint.port };
  return new Promise((resolve) => {
    const call = request(
      { ...where, path: '/', method: 'GET', timeout: ASK_MS, agent: false },
      (response) => {
        resolve(true);
        response.destroy();
      },
    );
    call.on('timeout', () => call.destroy());
    call.on('error', () => resolve(false));
    call.end();
  });
}
