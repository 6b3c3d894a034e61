import type { ContainerView } from '../containers/container-backend.ts';
import {
  homeVolume,
  type VolumeName,
  type WorkspaceId,
  workspaceContainerId,
  workspaceOfContainer,
  workspaceOfVolume,
} from '../contracts/ids.ts';
import type { Observation, ObservedWorkspace } from '../database/workspaces.ts';

export interface BackendLook {
  containers: readonly ContainerView[];
  volumes: readonly VolumeName[];
}

export interface ObservedChange {
  id: WorkspaceId;
  seen: Observation;
}

/** What is there now and not in the database. One that is being worked on is looked at by who works on it. */
export function planObservations(
  rows: readonly ObservedWorkspace[],
  { containers, volumes }: BackendLook,
): ObservedChange[] {
  const byId = new Map<string, ContainerView>(containers.map((view) => [view.id, view]));
  const homes = new Set<VolumeName>(volumes);
  return rows
    .filter((row) => row.operation === null)
    .map((row) => ({
      row,
      seen: observation(byId.get(workspaceContainerId(row.id)), homes.has(homeVolume(row.id))),
    }))
    .filter(
      ({ row, seen }) => seen.status !== row.observedStatus || seen.incarnation !== row.observedIncarnation,
    )
    .map(({ row, seen }) => ({ id: row.id, seen }));
}

/** Whose containers and volumes there are though no row tells of them. */
export function unknownOf(
  rows: readonly Pick<ObservedWorkspace, 'id'>[],
  { containers, volumes }: BackendLook,
): WorkspaceId[] {
  const known = new Set(rows.map(({ id }) => id));
  const found = [...containers.map(({ id }) => workspaceOfContainer(id)), ...volumes.map(workspaceOfVolume)];
  return [...new Set(found)].filter((id) => id !== undefined && !known.has(id)) as WorkspaceId[]; // the cast: filtered
}

/** A container without its volume is none: what it writes is lost. */
export function observation(container: ContainerView | undefined, hasVolume: boolean): Observation {
  if (!hasVolume) return { status: 'PENDING', incarnation: null };
  if (container?.state !== 'running') return { status: 'STANDBY', incarnation: null };
  return { status: 'RUNNING', incarnation: container.engineId };
}
