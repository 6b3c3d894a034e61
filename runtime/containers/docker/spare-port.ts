import { randomBytes } from 'node:crypto';
import type { ContainerId } from '../../contracts/ids.ts';
import { LABEL } from '../../contracts/labels.ts';
import { acceptsConnections, type SocketFolder } from '../socket-folder.ts';
import { type AppContainerSpec, type PortSpec, portName } from './app-options.ts';
import { removeContainer } from './container-removal.ts';
import type { EngineClient } from './engine-client.ts';
import type { ListReply } from './engine-replies.ts';
import { PortCreation, type PortSettings, startContainer } from './port-creation.ts';

/** One that nobody takes for so long is removed: it has memory, and a folder that must not look forgotten. */
const KEPT_MS = 5 * 60_000;
/** One that is older was left by a crash. */
const LEFT_MS = 2 * KEPT_MS;
const NAME = /^spare-[0-9a-f]{12}\.port$/;

type PortKind = Omit<PortSpec, 'id'>;

interface Spare {
  id: ContainerId;
  engineId: string;
  for: PortKind;
  folder: SocketFolder;
}

interface Parts {
  engine: EngineClient;
  folderOf: (id: ContainerId) => SocketFolder;
}

/**
 * A port that was started ahead of its app, so that the app does not wait for it. There is one once there was an app, for
 * another like that. It is a help only: where it is gone or of no use, a port is made with the app.
 */
export class SparePort {
  readonly #parts: Parts;
  #ready: Spare | undefined;
  #making: Promise<void> | undefined;
  #expiry: NodeJS.Timeout | undefined;
  readonly #closing = new AbortController();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The engine's id of a port that is this app's from then on, by its name and its folder. */
  async take({ id, ...spec }: AppContainerSpec): Promise<string | undefined> {
    const { engine, folderOf } = this.#parts;
    const spare = this.#ready;
    if (spare === undefined || keyOf(spare.for) !== keyOf(spec)) return undefined;
    this.#ready = undefined;
    clearTimeout(this.#expiry);
    const folder = folderOf(id);
    try {
      await engine.rename(portName(spare.id), portName(id)); // refused where somebody has that name
      await spare.folder.moveTo(folder);
      if (await acceptsConnections(folder.agentSocket)) return spare.engineId;
    } catch {} // somebody has removed it, or the name is taken: who makes the app will be told
    await removeContainer(engine, spare.engineId, 0).catch(() => {});
    await spare.folder.remove();
    return undefined;
  }

  /** One like this app's is made ready, later. */
  refill(spec: PortKind, settings: Omit<PortSettings, 'folder'>): void {
    if (this.#ready !== undefined || this.#making !== undefined || this.#closing.signal.aborted) return;
    const { role, network, app } = spec;
    this.#making = this.#make({ role, network, app: { port: app.port } }, settings)
      .catch(() => {}) // the next app's port is made with it
      .finally(() => {
        this.#making = undefined;
      });
  }

  /** What a crash has left, among what the engine lists. By their names: one that was taken meanwhile has another. */
  async removeLeft(rows: ListReply, now = Date.now()): Promise<void> {
    for (const { Names, Labels } of rows) {
      const name = Names.map((each) => each.slice(1)).find((each) => NAME.test(each));
      const isOld = now - Date.parse(Labels[LABEL.createdAt] ?? '') > LEFT_MS;
      if (name !== undefined && isOld) await removeContainer(this.#parts.engine, name, 0).catch(() => {});
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#expiry);
    await this.#making;
    await this.#drop();
  }

  async #make(spec: PortKind, settings: Omit<PortSettings, 'folder'>): Promise<void> {
    const { engine, folderOf } = this.#parts;
    // Of a form that no container has: it is nobody's yet.
    const id = `spare-${randomBytes(6).toString('hex')}` as ContainerId;
    const folder = folderOf(id);
    const attempt = new AbortController();
    const creation = new PortCreation(engine, portName(id), { ...settings, folder }, attempt);
    let engineId: string | undefined;
    try {
      await folder.prepare(settings.features.remapsUsers ? undefined : settings.user);
      engineId = await creation.create({ ...spec, id }, new Date());
      await startContainer(engine, engineId);
      await creation.takeSocket(engineId);
    } catch (error) {
      if (engineId !== undefined) await removeContainer(engine, engineId, 0);
      await folder.remove();
      throw error;
    }
    this.#ready = { id, engineId, for: spec, folder };
    this.#expiry = setTimeout(() => void this.#drop(), KEPT_MS).unref();
  }

  async #drop(): Promise<void> {
    const spare = this.#ready;
    this.#ready = undefined;
    if (spare === undefined) return;
    await removeContainer(this.#parts.engine, spare.engineId, 0).catch(() => {}); // the next start finds it
    await spare.folder.remove();
  }
}

function keyOf({ role, network, app }: PortKind): string {
  return `${role} ${network} ${app.port}`;
}
