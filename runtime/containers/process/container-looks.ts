import type { ContainerId } from '../../contracts/ids.ts';
import type { ContainerView } from '../container-backend.ts';
import type { ContainerFolder, ContainerRecord } from './container-folder.ts';
import { engineIdOfProcess, toView } from './container-view.ts';
import { type ProcessIdentity, type ProcessTable, readProcessTable } from './process-table.ts';

/** Holds the records of containers against the system's processes. */
export class ContainerLooks {
  readonly #installation: string;
  /** Whether the runtime has a socket to dial. */
  readonly #isReachable: (id: ContainerId) => Promise<boolean>;
  /** By the engine's id of each container that this runtime has started: when its end is on record. */
  readonly #endings = new Map<string, Promise<void>>();

  constructor(installation: string, isReachable: (id: ContainerId) => Promise<boolean>) {
    this.#installation = installation;
    this.#isReachable = isReachable;
  }

  /** `recorded`: how it ended, and what it said last, can be read. */
  expect(started: ProcessIdentity, recorded: Promise<void>): void {
    const engineId = engineIdOfProcess(started);
    this.#endings.set(engineId, recorded);
    void recorded.then(() => this.#endings.delete(engineId));
  }

  /** Undefined: there is no such container of this installation. */
  async at(folder: ContainerFolder): Promise<ContainerView | undefined> {
    const record = await folder.read();
    return record && this.#view(folder, record, await readProcessTable());
  }

  /** A record that can't be read is nobody's, and left alone. */
  async atAll(folders: readonly ContainerFolder[]): Promise<ContainerView[]> {
    const records = await Promise.all(folders.map((folder) => folder.read().catch(() => undefined)));
    const table = await readProcessTable();
    const views = await Promise.all(
      folders.map(async (folder, index) => {
        const record = records[index];
        return record && this.#view(folder, record, table);
      }),
    );
    return views.filter((view) => view !== undefined);
  }

  async #view(
    folder: ContainerFolder,
    record: ContainerRecord,
    table: ProcessTable,
  ): Promise<ContainerView | undefined> {
    const reachable = await this.#isReachable(folder.id);
    const view = toView(record, this.#installation, table, reachable);
    if (view?.state !== 'exited' || view.exit !== undefined) return view;
    const recorded = this.#endings.get(view.engineId);
    if (recorded === undefined) return view;
    // The system tells of its end before Node does: nobody sees it ended without its exit code and last words.
    await recorded;
    const ended = await folder.read();
    return ended && toView(ended, this.#installation, await readProcessTable(), reachable);
  }
}
