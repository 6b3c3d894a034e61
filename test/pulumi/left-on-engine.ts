import type Docker from 'dockerode';
import { connectEngine, imageId } from '../../images/builder/engine.ts';
import { LABEL } from '../../runtime/contracts/labels.ts';

const PLATFORM_LABEL = 'berth.platform';

/** Names of what a platform has on an engine: its own parts, and what its runtime made. */
export interface OnEngine {
  containers: string[];
  networks: string[];
  volumes: string[];
  /** Tags of images that were built for it. */
  images: string[];
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
    images: (await imagesOf(engine, platform)).sort(),
  };
}

/** Removes all of it. */
export async function clearEngine(host: string, platform: string): Promise<void> {
  const engine = connectEngine(host);
  for (const { Id } of await containersOf(engine, platform))
    await engine.getContainer(Id).remove({ force: true, v: true });
  for (const { Id } of await networksOf(engine, platform)) await engine.getNetwork(Id).remove();
  for (const { Name } of await volumesOf(engine, platform)) await engine.getVolume(Name).remove();
  for (const tag of await imagesOf(engine, platform)) await engine.getImage(tag).remove();
}

/** Marks images that the engine has before a test, which may be its owner's; resolves with what brings them back. */
export async function lendImages(host: string, names: readonly string[]): Promise<() => Promise<void>> {
  const engine = connectEngine(host);
  const lent: { repo: string; tag: string; mark: string }[] = [];
  for (const name of names) {
    const id = await imageId(engine, name);
    const [repo = '', tag = ''] = name.split(':');
    if (id === undefined) continue;
    await engine.getImage(id).tag({ repo: 'berth-test-lent', tag: `${repo}-${tag}` });
    lent.push({ repo, tag, mark: `berth-test-lent:${repo}-${tag}` });
  }
  return async () => {
    for (const { repo, tag, mark } of lent) {
      await engine.getImage(mark).tag({ repo, tag });
      await engine.getImage(mark).remove();
    }
  };
}

/** The engine's filters are all to be met; one of these is enough. */
const labels = (platform: string) => [`${PLATFORM_LABEL}=${platform}`, `${LABEL.installation}=${platform}`];

async function containersOf(engine: Docker, platform: string): Promise<Docker.ContainerInfo[]> {
  const found = labels(platform).map((label) =>
    engine.listContainers({ all: true, filters: { label: [label] } }),
  );
  return (await Promise.all(found)).flat();
}

async function imagesOf(engine: Docker, platform: string): Promise<string[]> {
  const images = await engine.listImages();
  return images.flatMap(({ RepoTags }) => RepoTags ?? []).filter((tag) => tag.endsWith(`.${platform}`));
}

async function networksOf(engine: Docker, platform: string): Promise<Docker.NetworkInspectInfo[]> {
  const found = labels(platform).map((label) => engine.listNetworks({ filters: { label: [label] } }));
  return (await Promise.all(found)).flat();
}

async function volumesOf(engine: Docker, platform: string): Promise<Docker.VolumeInspectInfo[]> {
  const found = labels(platform).map((label) => engine.listVolumes({ filters: { label: [label] } }));
  return (await Promise.all(found)).flatMap(({ Volumes }) => Volumes ?? []);
}
