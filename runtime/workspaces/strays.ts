import type { Logger } from 'pino';
import type { ContainerBackend } from '../containers/container-backend.ts';
import type { VolumeBackend } from '../containers/volume-backend.ts';
import { homeVolume, type WorkspaceId, workspaceContainerId } from '../contracts/ids.ts';
import type { WorkspaceReads } from '../database/workspaces.ts';

interface Parts {
  backend: Pick<ContainerBackend, 'destroy'>;
  volumes: Pick<VolumeBackend, 'delete'>;
  database: { readonly workspaces: { readonly reads: WorkspaceReads } };
  log: Logger;
}

/**
 * Removes what an instance that was paused has made of a workspace after it was deleted. What no row tells of is left
 * alone: a database that lost its rows must not cost the homes.
 */
export class Strays {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async remove(unknown: readonly WorkspaceId[]): Promise<void> {
    const { backend, volumes, database, log } = this.#parts;
    for (const id of unknown) {
      const row = await database.workspaces.reads.get(id);
      if (row === undefined || row.deletedAt === null) continue;
      log.warn({ workspace_id: id }, 'a deleted workspace has a container or a volume: removing them');
      await backend.destroy(workspaceContainerId(id), { stopSeconds: 0 });
      await volumes.delete(homeVolume(id));
    }
  }
}
