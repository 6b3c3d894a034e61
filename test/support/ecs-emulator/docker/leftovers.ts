import type Docker from 'dockerode';
import { isDead, LABEL } from './owner.ts';

/** Removes what the label matches, and nothing else. */
export async function removeLabelled(
  engine: Docker,
  isOurs: (labels: Readonly<Record<string, string>>) => boolean,
): Promise<void> {
  const filters = { label: [LABEL.emulator] };
  const containers = await engine.listContainers({ all: true, filters });
  await each(containers, isOurs, ({ Id }) => engine.getContainer(Id).remove({ force: true, v: true }));
  const networks = await engine.listNetworks({ filters });
  await each(networks, isOurs, ({ Id }) => engine.getNetwork(Id).remove());
  const { Volumes: volumes } = await engine.listVolumes({ filters });
  await each(volumes ?? [], isOurs, ({ Name }) => engine.getVolume(Name).remove());
}

/** What emulators left whose process was killed. */
export function removeLeftovers(engine: Docker): Promise<void> {
  return removeLabelled(engine, (labels) => isDead(labels[LABEL.owner]));
}

async function each<T extends { Labels?: Record<string, string> | undefined }>(
  items: readonly T[],
  isOurs: (labels: Readonly<Record<string, string>>) => boolean,
  remove: (item: T) => Promise<unknown>,
): Promise<void> {
  const ours = items.filter(({ Labels }) => isOurs(Labels ?? {}));
  // Another emulator may be at the same leftovers.
  await Promise.all(ours.map((item) => remove(item).catch(gone)));
}

/** Passes over what is not there any more, or is being removed. */
export function gone(error: unknown): void {
  const status = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  if (status !== 404 && status !== 409) throw error;
}
