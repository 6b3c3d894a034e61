import { Image } from '@pulumi/docker-build';
import { type ComponentResource, type Output, output } from '@pulumi/pulumi';
import { type ImageName, imageContexts } from '../image-contexts.ts';

/** Builds one of our images into the engine. Its tag names version and content, so that it never means another. */
export function localImage(
  name: string,
  image: ImageName,
  version: string,
  parent: ComponentResource,
): Output<string> {
  const { folder, hash } = imageContexts()[image];
  const tag = `${image}:${version}-${hash}`;
  const built = new Image(
    `${name}-${image}`,
    {
      tags: [tag],
      context: { location: folder },
      dockerfile: { location: `${folder}/Dockerfile` },
      labels: { 'berth.image': image, 'berth.version': version, 'berth.source-hash': hash },
      exports: [{ docker: {} }],
      push: false,
      buildOnPreview: false,
    },
    // An older one goes when nothing is made of it any more.
    { parent, retainOnDelete: true },
  );
  return output(built.id).apply(() => tag);
}
