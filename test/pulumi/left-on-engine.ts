import type Docker from 'dockerode';
import { connectEngine } from '../../images/builder/engine.ts';
import { LABEL } from '../../runtime/contracts/labels.ts';

const PLATFORM_LABEL = 'berth.platform';

/** Names of what a platform has on an engine: its own parts, and what its runtime made. */
export interface OnEngine {
  containers: string[];
  networks: string[];
  volumes: string[];
}

export async function onEngine(host: string, platform: string): Promise<OnEngine> {
  const engine = connectEngine(host);
  const containers = await containersOf(engine, platform);
  const networks = await networksOf(engine, platform);
  const volumes = await volumesOf(engine, platform);
  return {
    containers: containers.map(({ Names }) => Names[0]?.slice(1) ?? '').sort(),
    networks: networks.map(({ Name }) => Name).sort(),
    volumes: volumes.map(({ Name }) => Name).sort(),
  };
}

/** Removes all of it. */
export async function clearEngine(host: string, platform: string): Promise<void> {
  const engine = connectEngine(host);
  for (const { Id } of await containersOf(engine, platform))
    await engine.getContainer(Id).remove({ force: true, v: true });
  for (const { Id } of await networksOf(engine, platform)) await engine.getNetwork(Id).remove();
  for (const { Name } of await volumesOf(engine, platform)) await engine.getVolume(Name).remove();
}

/** The engine's filters are all to be met; one of these is enough. */
const labels = (platform: string) => [`${PLATFORM_LABEL}=${platform}`, `${LABEL.installation}=${platform}`];

async function containersOf(engine: Docker, platform: string): Promise<Docker.ContainerInfo[]> {
  const found = labels(platform).map((label) =>
    engine.listContainers({ all: true, filters: { label: [label] } }),
  );
  return (await Promise.all(found)).flat();
}

async function networksOf(engine: Docker, platform: string): Promise<Docker.NetworkInspectInfo[]> {
  const found = labels(platform).map((label) => engine.listNetworks({ filters: { label: [label] } }));
  return (await Promise.all(found)).flat();
}

async function volumesOf(engine: Docker, platform: string): Promise<Docker.VolumeInspectInfo[]> {
  const found = labels(platform).map((label) => engine.listVolumes({ filters: { label: [label] } }));
  return (await Promise.all(found)).flatMap(({ Volumes }) => Volumes ?? []);
}
