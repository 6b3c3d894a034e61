import type { ImageArgs } from '@pulumi/docker-build';
import type { Unwrap } from '@pulumi/pulumi';
import { findBaseImage } from '../../../../../images/builder/base-image.ts';
import { connectEngine, imageId } from '../../../../../images/builder/engine.ts';
import { buildFolder } from '../build.ts';
import { type ResourceKind, serveProvider } from '../provider.ts';
import type { WireObject } from '../wire-values.ts';

// The provider `docker-build`: images into the engine of DOCKER_HOST, on the base that the tests have.

type Args = Unwrap<ImageArgs>;

const image: ResourceKind<Args> = {
  inputs: [
    ...(['tags', 'context', 'dockerfile', 'labels', 'buildArgs'] as const),
    ...(['network', 'exports', 'push', 'buildOnPreview'] as const),
  ],
  named: false,
  async create(args) {
    const properties = await build(args);
    return { id: String(properties.ref), properties };
  },
  update: (_id, args) => build(args),
  /** An image stays in the engine, as the real provider leaves it. */
  async delete() {},
};

async function build(args: Args): Promise<WireObject> {
  const { tag, folder } = understood(args);
  const engine = connectEngine();
  const base = await findBaseImage(engine, () => {});
  await buildFolder(engine, folder, {
    t: tag,
    labels: args.labels ?? {},
    buildargs: { BASE_IMAGE: base.reference, ...args.buildArgs },
  });
  const digest = await imageId(engine, tag);
  return { ref: tag, digest, contextHash: digest };
}

function understood({ tags = [], context, dockerfile, network, push, exports }: Args) {
  const [tag, ...more] = tags;
  const folder = context?.location;
  if (tag === undefined || more.length > 0 || folder === undefined)
    throw new Error('This provider builds an image of one tag from one folder.');
  if (push || exports?.some((to) => to.docker === undefined))
    throw new Error('This provider has no registry: push must be false, and exports docker.');
  if (network !== 'default') throw new Error("This provider builds on the engine's default network.");
  if (dockerfile?.location !== undefined && dockerfile.location !== `${folder}/Dockerfile`)
    throw new Error("This provider takes the folder's own Dockerfile.");
  return { tag, folder };
}

await serveProvider('docker-build', '0.0.22', { 'docker-build:index:Image': image });
