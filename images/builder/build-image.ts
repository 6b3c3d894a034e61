import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Docker from 'dockerode';
import type { BaseImage } from './base-image.ts';
import { followProgress, imageId } from './engine.ts';
import { contextHash, filesIn, makeContext } from './image-context.ts';
import { ourPackage } from './our-package.ts';
import type { Recipe } from './recipes.ts';

export interface BuiltImage {
  /** Named for the version: what a deployment asks for. */
  readonly versionTag: string;
  /** Named for its sources: what tests ask for, so that they never meet an older one. */
  readonly sourceTag: string;
  readonly outcome: 'built' | 'unchanged';
}

/** Builds an image unless the engine has one of the very same sources on the very same base. */
export async function buildImage(
  engine: Docker,
  recipe: Recipe,
  base: BaseImage,
  say: (line: string) => void,
): Promise<BuiltImage> {
  const context = mkdtempSync(join(tmpdir(), `berth-image-`));
  try {
    await makeContext(recipe, context);
    const hash = contextHash(context, [recipe.name, ourPackage.version, base.id]);
    const sourceTag = `${recipe.name}:src-${hash}`;
    const versionTag = `${recipe.name}:${ourPackage.version}`;
    const unchanged = (await imageId(engine, sourceTag)) !== undefined;
    if (!unchanged) {
      say(`building ${recipe.name} on ${base.reference}`);
      const labels = {
        'berth.image': recipe.name,
        'berth.version': ourPackage.version,
        'berth.source-hash': hash,
      };
      await build(engine, context, { t: sourceTag, labels, buildargs: { BASE_IMAGE: base.reference } }, say);
    }
    await engine.getImage(sourceTag).tag({ repo: recipe.name, tag: ourPackage.version });
    return { versionTag, sourceTag, outcome: unchanged ? 'unchanged' : 'built' };
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}

async function build(
  engine: Docker,
  context: string,
  options: Docker.ImageBuildOptions & { readonly t: string },
  say: (line: string) => void,
): Promise<void> {
  const output: string[] = [];
  try {
    const stream = await engine.buildImage({ context, src: filesIn(context) }, { ...options, forcerm: true });
    await followProgress(stream, (line) => {
      output.push(line);
      if (line.startsWith('Step ')) say(`  ${line.slice(0, 100)}`);
    });
  } catch (error) {
    for (const line of output.slice(-20)) say(`  ${line}`);
    throw error;
  }
  if ((await imageId(engine, options.t)) === undefined) {
    throw new Error(`The engine broke off the build of ${options.t}.`);
  }
}
