import type { ContainerBackend } from '../containers/container-backend.ts';
import type { VolumeBackend } from '../containers/volume-backend.ts';
import { homeVolume, type WorkspaceId, workspaceContainerId } from '../contracts/ids.ts';
import type { DatabaseOf } from '../database/database.ts';
import type { Observation } from '../database/workspaces.ts';
import { observation, planObservations, unknownOf } from './plan-observations.ts';

interface Parts {
  backend: Pick<ContainerBackend, 'list' | 'inspect'>;
  volumes: Pick<VolumeBackend, 'list' | 'find'>;
  database: DatabaseOf<'monitor'>;
}

interface Overview {
  /** How many are not as they were. */
  changed: number;
  /** Of which there is something, but no workspace. */
  unknown: WorkspaceId[];
}

/** Tells the database what there is of workspaces: the only one who does. */
export class HealthMonitor {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Looks at all with one list of containers and one of volumes. */
  async observeAll(): Promise<Overview> {
    const { backend, volumes, database } = this.#parts;
    // Before the look: what is seen is at least as new as this.
    const since = await database.now();
    const rows = await database.workspaces.reads.observed();
    const [containers, names] = await Promise.all([backend.list('workspace'), volumes.list()]);
    const look = { containers, volumes: names };
    const changes = planObservations(rows, look);
    for (const { id, seen } of changes) await database.workspaces.monitor.observe(id, seen, since);
    return { changed: changes.length, unknown: unknownOf(rows, look) };
  }

  /** Looks at one, at once. */
  async observe(workspace: WorkspaceId): Promise<Observation> {
    const { backend, volumes, database } = this.#parts;
    const since = await database.now();
    const [container, volume] = await Promise.all([
      backend.inspect(workspaceContainerId(workspace)),
      volumes.find(homeVolume(workspace)),
    ]);
    const seen = observation(container, volume !== undefined);
    await database.workspaces.monitor.observe(workspace, seen, since);
    return seen;
  }
}
