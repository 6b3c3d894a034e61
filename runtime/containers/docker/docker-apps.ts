import { BerthError } from '../../contracts/errors.ts';
import type { ContainerId } from '../../contracts/ids.ts';
import { LABEL, type Role } from '../../contracts/labels.ts';
import type { ContainerView } from '../container-backend.ts';
import { takenBy } from '../ownership.ts';
import type { SocketFolder } from '../socket-folder.ts';
import { AppCreation } from './app-creation.ts';
import { type AppContainerSpec, portName } from './app-options.ts';
import { type AppPair, findPair, isOwnApp, isOwnPort, pairView, pairViews, removePair } from './app-pair.ts';
import type { EngineClient } from './engine-client.ts';
import { toViews } from './engine-replies.ts';
import type { PortSettings } from './port-creation.ts';
import { SparePort } from './spare-port.ts';

interface Parts {
  engine: EngineClient;
  installation: string;
  folderOf: (id: ContainerId) => SocketFolder;
}

/** A port without an app is left by a crash, or on its way to one: this long after, it is the former. */
const CREATION_MS = 5 * 60_000;

/** Containers that run a program of their image. Each is two: the program's, and the one that holds its network. */
export class DockerApps {
  readonly #parts: Parts;

  readonly #spare: SparePort;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#spare = new SparePort(parts);
  }

  async create(spec: AppContainerSpec, settings: PortSettings, attempt: AbortController): Promise<void> {
    if (await this.#isThere(spec)) return;
    const takeSpare = () => this.#spare.take(spec);
    await new AppCreation(this.#parts.engine, spec, settings, attempt, takeSpare).run();
    // Somebody waits for a workspace that starts. Workers come in numbers, and most often before they are needed.
    if (spec.role === 'workspace') this.#spare.refill(spec, settings);
  }

  async destroy(id: ContainerId, stopSeconds: number, engineId: string | undefined): Promise<void> {
    const { engine, installation, folderOf } = this.#parts;
    const { app, port: named } = await findPair(engine, id);
    if (app !== undefined && !isOwnApp(app.Config.Labels, installation)) return;
    const port = named !== undefined && isOwnPort(named.Config.Labels, installation) ? named : undefined;
    if (engineId !== undefined && !isMeant({ app, port }, engineId)) return;
    await removePair(engine, { app: app?.Id, port: port?.Id }, stopSeconds);
    // Whoever has the name of the port by now has the folder, too.
    if ((await engine.inspect(portName(id))) === undefined) await folderOf(id).remove();
  }

  async inspect(id: ContainerId): Promise<ContainerView | undefined> {
    const { engine, installation, folderOf } = this.#parts;
    const [pair, reachable] = await Promise.all([findPair(engine, id), folderOf(id).hasAgent()]);
    return pairView(pair, installation, reachable);
  }

  async list(role: Role): Promise<ContainerView[]> {
    const { engine, installation, folderOf } = this.#parts;
    const rows = await engine.list({ [LABEL.installation]: installation, [LABEL.role]: role });
    await this.#spare.removeLeft(rows);
    const ids = toViews(rows, installation).map(({ id }) => id);
    const have = await Promise.all(ids.map((id) => folderOf(id).hasAgent()));
    return pairViews(rows, installation, new Set(ids.filter((_, index) => have[index])));
  }

  /** What is of no use without a runtime. */
  async clearUp(): Promise<void> {
    const { engine, installation } = this.#parts;
    await this.#spare.removeLeft(await engine.list({ [LABEL.installation]: installation }), Infinity);
  }

  async close(): Promise<void> {
    await this.#spare.close();
  }

  /** Whether both are there and whole. What is left of an earlier attempt is removed. */
  async #isThere({ id, role }: AppContainerSpec): Promise<boolean> {
    const { engine, installation, folderOf } = this.#parts;
    const pair = await findPair(engine, id);
    const { app, port } = pair;
    if (app !== undefined && !isOwnApp(app.Config.Labels, installation, role))
      throw new BerthError('CONTAINER_CREATE_FAILED', takenBy(id, app.Config.Labels));
    if (port !== undefined && !isOwnPort(port.Config.Labels, installation, role))
      throw new BerthError('CONTAINER_CREATE_FAILED', takenBy(portName(id), port.Config.Labels));
    const state = pairView(pair, installation, await folderOf(id).hasAgent())?.state;
    if (state === 'running' || state === 'paused') return true;
    await removePair(engine, { app: app?.Id, port: port?.Id }, 0);
    return false;
  }
}

/** Whether what is there is what the engine calls by this id, or what a crash left of it. */
function isMeant({ app, port }: AppPair, engineId: string): boolean {
  if (app !== undefined) return app.Id === engineId;
  return port !== undefined && Date.parse(port.Created) < Date.now() - CREATION_MS;
}
