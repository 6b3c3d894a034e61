import type { ImageArgs } from '@pulumi/docker-build';
import type { Unwrap } from '@pulumi/pulumi';
import { findBaseImage } from '../../../../../images/builder/base-image.ts';
import { connectEngine, imageId } from '../../../../../images/builder/engine.ts';
import { buildFolder } from '../build.ts';
import { unlessGone } from '../docker/unless-gone.ts';
import { type ResourceKind, serveProvider } from '../provider.ts';
import type { WireObject } from '../wire-values.ts';

// The provider `docker-build`: images into the engine of DOCKER_HOST, on the base that the tests have. A registry that
// is pushed to is the engine itself, and an image's digest there is its id.

type Args = Unwrap<ImageArgs>;

const image: ResourceKind<Args> = {
  inputs: [
    ...(['tags', 'context', 'dockerfile', 'labels', 'buildArgs', 'platforms'] as const),
    ...(['network', 'exports', 'push', 'registries', 'buildOnPreview'] as const),
  ],
  named: false,
  async create(args) {
    const properties = await build(args);
    return { id: String(properties.ref), properties };
  },
  update: (_id, args) => build(args),
  /** Takes its tags from the engine, as the real provider does, and none from a registry. */
  async delete(_id, { tags = [], push }) {
    const engine = connectEngine();
    if (!push) for (const tag of tags) await unlessGone(() => engine.getImage(tag).remove());
  },
};

async function build(args: Args): Promise<WireObject> {
  const { tag, folder } = understood(args);
  const engine = connectEngine();
  const base = await findBaseImage(engine, () => {});
  const before = await imageId(engine, tag);
  await buildFolder(engine, folder, {
    t: tag,
    labels: args.labels ?? {},
    buildargs: { BASE_IMAGE: base.reference, ...args.buildArgs },
  });
  const digest = await imageId(engine, tag);
  if (args.push && before !== undefined && before !== digest)
    throw new Error(`ImageTagAlreadyExistsException: ${tag} is immutable, and another image has it`);
  return { ref: args.push ? `${tag}@${digest}` : tag, digest, contextHash: digest };
}

function understood(args: Args) {
  const { tags = [], context, dockerfile, push } = args;
  const [tag, ...more] = tags;
  const folder = context?.location;
  if (tag === undefined || more.length > 0 || folder === undefined)
    throw new Error('This provider builds an image of one tag from one folder.');
  if (dockerfile?.location !== undefined && dockerfile.location !== `${folder}/Dockerfile`)
    throw new Error("This provider takes the folder's own Dockerfile.");
  if (push) checkPush(tag, args);
  else checkLocal(args);
  return { tag, folder };
}

function checkLocal({ network, exports, registries, platforms }: Args): void {
  if (exports?.some((to) => to.docker === undefined) || registries !== undefined || platforms !== undefined)
    throw new Error('This provider wants push where there is a registry, and else exports of docker alone.');
  if (network !== 'default') throw new Error("This provider builds on the engine's default network.");
}

function checkPush(tag: string, { exports, registries = [], platforms = [] }: Args): void {
  if (exports !== undefined || platforms.join() !== 'linux/amd64')
    throw new Error('This provider pushes images of linux/amd64, and has no other exports then.');
  const [registry] = registries;
  if (!registry?.password || !tag.startsWith(`${registry.address}:`))
    throw new Error(`This provider wants credentials for the repository of ${tag}.`);
}

await serveProvider('docker-build', '0.0.22', { 'docker-build:index:Image': image });
