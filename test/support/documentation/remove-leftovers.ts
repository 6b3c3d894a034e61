import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { connectEngine } from '../../../images/builder/engine.ts';
import { LABEL } from '../../../runtime/contracts/labels.ts';

/** Takes away what a page left in the engine under its own name: containers, homes of workspaces, images. */
export async function removeLeftovers(host: string, own: string): Promise<void> {
  const engine = connectEngine(host);
  // What is on its way out already refuses to be removed, and is looked for again.
  for (let look = 0; look < 100; look += 1) {
    const left = await leftIn(engine, own);
    if (left.length === 0) return;
    for (const thing of left) await thing.remove({ force: true }).catch(() => {});
    await sleep(100);
  }
  throw new Error(`Something of ${own} stays in the engine.`);
}

async function leftIn(engine: Docker, own: string): Promise<{ remove(options: object): Promise<unknown> }[]> {
  const labelled = { label: [`${LABEL.installation}=${own}`] };
  const named = { name: [own] };
  const containers = await Promise.all(
    [labelled, named].map((filters) => engine.listContainers({ all: true, filters })),
  );
  const volumes = await Promise.all([labelled, named].map((filters) => engine.listVolumes({ filters })));
  const images = await engine.listImages({ filters: { reference: [`${own}*`] } });
  const ids = new Set(containers.flat().map(({ Id }) => Id));
  const names = new Set(volumes.flatMap((each) => each.Volumes).map(({ Name }) => Name));
  return [
    ...[...ids].map((id) => engine.getContainer(id)),
    ...[...names].map((name) => engine.getVolume(name)),
    ...images.flatMap(({ RepoTags }) => (RepoTags ?? []).map((tag) => engine.getImage(tag))),
  ];
}
