import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type Docker from 'dockerode';
import { findBaseImage } from '../../../../../images/builder/base-image.ts';
import { cacheFolder } from '../../../../../images/builder/cache-folder.ts';
import { imageId } from '../../../../../images/builder/engine.ts';
import { lock } from '../../../../../images/builder/file-lock.ts';
import { contextHash } from '../../../../../images/builder/image-context.ts';
import { buildFolder } from '../build.ts';

/** By official image: the folder of what takes the same environment and commands, of Debian's packages. */
const STAND_INS: Record<string, string> = {
  'redis:7.4-bookworm': 'redis',
  'postgres:17-bookworm': 'postgres',
};

/** The id of the image that stands in for an official one, built once. */
export async function standIn(engine: Docker, official: string): Promise<string> {
  const name = STAND_INS[official];
  if (name === undefined) throw new Error(`The engine has no ${official}, and nothing stands in for it.`);
  const folder = fileURLToPath(new URL(`stand-ins/${name}`, import.meta.url));
  const base = await findBaseImage(engine, () => {});
  const tag = `berth-test-${name}:${contextHash(folder, [base.id])}`;
  const held = await lock(join(cacheFolder('stand-ins'), `${name}.lock`));
  try {
    if ((await imageId(engine, tag)) === undefined)
      await buildFolder(engine, folder, { t: tag, buildargs: { BASE_IMAGE: base.reference } });
  } finally {
    held.release();
  }
  const id = await imageId(engine, tag);
  if (id === undefined) throw new Error(`The engine built ${tag} and does not have it.`);
  return id;
}
