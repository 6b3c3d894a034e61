import type Docker from 'dockerode';
import { type BaseImage, findBaseImage } from '../../../images/builder/base-image.ts';
import { buildImage } from '../../../images/builder/build-image.ts';
import { connectEngine, engineMessage } from '../../../images/builder/engine.ts';
import { findRecipe } from '../../../images/builder/recipes.ts';
import { nothingToStop, type Service } from './service.ts';

/** One of this repository's images, built from the sources as they are now. */
export function imageService(image: string, variable: string, neededBy: string): Service {
  return {
    name: `${image}-image`,
    neededBy,
    remedy: `see what \`npm run images -- ${image}\` says, with DOCKER_HOST set to the tests' engine`,
    async start({ env, say }) {
      const host = env.TEST_DOCKER_HOST;
      if (host === undefined) return { missing: 'there is no Docker engine to build it with' };
      const engine = connectEngine(host);
      let base: BaseImage;
      try {
        base = await baseOf(engine, say);
      } catch (error) {
        return { missing: engineMessage(error) };
      }
      try {
        const { sourceTag } = await buildImage(engine, findRecipe(image), base, say);
        if (env.TEST_DOCKERD !== undefined) await removeOldest(engine, image);
        return { env: { [variable]: sourceTag }, stop: nothingToStop };
      } catch (error) {
        return { missing: engineMessage(error), broken: true };
      }
    },
  };
}

export const workspaceImage = imageService(
  'workspace-base',
  'TEST_WORKSPACE_IMAGE',
  'conversations in real containers',
);
export const proxyImage = imageService(
  'proxy-sidecar',
  'TEST_PROXY_IMAGE',
  'containers with an egress proxy beside them',
);
export const runtimeImage = imageService(
  'runtime',
  'TEST_RUNTIME_IMAGE',
  'the runtime in a container of its own',
);
export const editorImage = imageService(
  'workspace-editor',
  'TEST_EDITOR_IMAGE',
  'workspaces with an editor in real containers',
);
export const functionNodeImage = imageService(
  'function-node',
  'TEST_FUNCTION_NODE_IMAGE',
  'functions of Node in real containers',
);
export const functionPythonImage = imageService(
  'function-python',
  'TEST_FUNCTION_PYTHON_IMAGE',
  'functions of Python in real containers',
);

let found: Promise<BaseImage> | undefined;

/** Looked for once a run: a registry that does not answer is waited for once. */
function baseOf(engine: Docker, say: (line: string) => void): Promise<BaseImage> {
  found ??= findBaseImage(engine, say);
  return found;
}

/** Keeps the tests' own engine from filling up; what runs side by side may use is far younger. */
async function removeOldest(engine: Docker, image: string, kept = 20): Promise<void> {
  const all = await engine.listImages({ filters: { label: [`berth.image=${image}`] } });
  const oldest = all.sort((a, b) => b.Created - a.Created).slice(kept);
  const tags = oldest.flatMap(({ RepoTags }) => RepoTags ?? []);
  await Promise.allSettled(tags.map((tag) => engine.getImage(tag).remove()));
}
