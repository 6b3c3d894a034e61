import { type ContainerId, roleOfContainer, type VolumeName, workspaceOfVolume } from '../contracts/ids.ts';
import { LABEL, type Role } from '../contracts/labels.ts';
import type { ContainerSpec } from './container-backend.ts';

/** Whose containers a backend makes and touches. */
export interface Installation {
  installation: string;
  version: string;
}

type Labels = Readonly<Record<string, string>>;
type Labelled = Pick<ContainerSpec, 'id' | 'role' | 'labels'>;

const ROLES: readonly Role[] = ['conversation', 'workspace', 'function'];

/** All labels of a new container. Ours win over the spec's. */
export function labelsFor(spec: Labelled, owner: Installation, now: Date): Record<string, string> {
  return { ...timelessLabelsFor(spec, owner), [LABEL.createdAt]: now.toISOString() };
}

/** The same whenever it is asked for: for an engine that tells itself when it made a container. */
export function timelessLabelsFor(spec: Labelled, owner: Installation): Record<string, string> {
  return {
    ...spec.labels,
    [LABEL.installation]: owner.installation,
    [LABEL.role]: spec.role,
    [LABEL.version]: owner.version,
    ...(spec.role === 'conversation' ? { [LABEL.workspace]: 'true', [LABEL.containerId]: spec.id } : {}),
  };
}

/** All labels of a new volume. */
export function volumeLabels(name: VolumeName, owner: Installation, now: Date): Record<string, string> {
  return { ...timelessVolumeLabels(name, owner), [LABEL.createdAt]: now.toISOString() };
}

/** The same whenever it is asked for. */
export function timelessVolumeLabels(name: VolumeName, owner: Installation): Record<string, string> {
  return {
    [LABEL.installation]: owner.installation,
    [LABEL.role]: 'workspace',
    [LABEL.workspaceId]: workspaceOfVolume(name) ?? '',
    [LABEL.version]: owner.version,
  };
}

/** Workspaces and workers run programs of their images; conversations run our agent. */
export function isApp(id: ContainerId): boolean {
  return roleOfContainer(id) !== 'conversation';
}

/** The role of a container of this installation; undefined for anyone else's. */
export function ownRole(labels: Labels, installation: string): Role | undefined {
  if (labels[LABEL.installation] !== installation) return undefined;
  return ROLES.find((role) => role === labels[LABEL.role]);
}

/** Says why a name can't be had. */
export function takenBy(id: string, labels: Labels): string {
  const installation = labels[LABEL.installation];
  const owner =
    installation === undefined
      ? 'something that is not of Berth'
      : `installation ${installation} (role ${labels[LABEL.role] ?? 'unknown'})`;
  return `the name ${id} belongs to ${owner}`;
}

/** When we made it, by its label. */
export function createdAt(labels: Labels, otherwise: number): number {
  const time = Date.parse(labels[LABEL.createdAt] ?? '');
  return Number.isNaN(time) ? otherwise : time;
}
