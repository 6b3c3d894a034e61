import { existsSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { VolumeArgs } from '@pulumi/docker';
import type { Unwrap } from '@pulumi/pulumi';
import { connectEngine } from '../../../../../images/builder/engine.ts';
import type { ResourceKind } from '../provider.ts';
import { unlessGone } from './unless-gone.ts';

/** Names a path where a link to the engine's volumes may be. */
export const VOLUMES_LINK = 'BERTH_TEST_VOLUMES';

export const volume: ResourceKind<Unwrap<VolumeArgs>> = {
  inputs: ['name', 'labels'],
  named: true,
  async create({ name = '', labels = [] }) {
    const engine = connectEngine();
    const Labels = Object.fromEntries(labels.map(({ label, value }) => [label, value]));
    await engine.createVolume({ Name: name, Labels });
    const { Mountpoint } = await engine.getVolume(name).inspect();
    return { id: name, properties: { driver: 'local', mountpoint: outsideHome(Mountpoint) } };
  },
  delete: (id) => unlessGone(() => connectEngine().getVolume(id).remove()),
};

/**
 * The tests' own engine keeps its volumes below root's home. At that path inside a container no other user gets to
 * them; so they have another, which a usual engine's have anyway.
 */
function outsideHome(mountpoint: string): string {
  const link = process.env[VOLUMES_LINK];
  if (link === undefined || !mountpoint.startsWith(`${homedir()}/`)) return mountpoint;
  const volumes = dirname(dirname(mountpoint));
  if (!existsSync(link)) symlinkSync(volumes, link);
  return join(link, mountpoint.slice(volumes.length));
}
