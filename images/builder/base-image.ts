import type Docker from 'dockerode';
import { debianBaseTag, makeDebianBase } from './debian-base.ts';
import { engineMessage, imageId } from './engine.ts';
import { pullImage } from './pull-image.ts';

const officialBase = 'node:24-bookworm-slim';

export interface BaseImage {
  readonly reference: string;
  readonly id: string;
}

/**
 * What all our images stand on: `BASE_IMAGE` if it is set; else the official Node image, or, where no registry
 * can be reached, one made from Debian's packages. What the engine has already is never fetched again.
 */
export async function findBaseImage(engine: Docker, say: (line: string) => void): Promise<BaseImage> {
  const chosen = process.env.BASE_IMAGE;
  if (chosen !== undefined && chosen !== '')
    return present(engine, chosen, () => pullChosen(engine, chosen, say));
  for (const reference of [officialBase, debianBaseTag()]) {
    const id = await imageId(engine, reference);
    if (id !== undefined) return { reference, id };
  }
  const problem = await pullImage(engine, officialBase, say).catch((error: unknown) => engineMessage(error));
  if (problem === undefined) return present(engine, officialBase);
  say(`could not pull ${officialBase}: ${problem}`);
  return present(engine, debianBaseTag(), () => makeDebianBase(engine, say));
}

async function pullChosen(engine: Docker, chosen: string, say: (line: string) => void): Promise<void> {
  try {
    await pullImage(engine, chosen, say);
  } catch (error) {
    throw new Error(
      `BASE_IMAGE ${chosen} is not in the engine and could not be pulled: ${engineMessage(error)}. Load it, or unset BASE_IMAGE.`,
    );
  }
}

async function present(engine: Docker, reference: string, provide?: () => Promise<void>): Promise<BaseImage> {
  let id = await imageId(engine, reference);
  if (id === undefined && provide !== undefined) {
    await provide();
    id = await imageId(engine, reference);
  }
  if (id === undefined) throw new Error(`The engine has no image ${reference} after all.`);
  return { reference, id };
}
