import { Image } from '@pulumi/docker-build';
import { type ComponentResource, type Output, output, type Resource } from '@pulumi/pulumi';
import { type ImageName, imageContexts } from '../image-contexts.ts';
import { imageTag } from './docker-image-removal.ts';

interface Given {
  version: string;
  /** What removes it, once nothing is made of it any more. */
  removal: Resource;
  parent: ComponentResource;
}

/** Builds one of our images into the engine. Its tag names version, content and platform, so that it never means another. */
export function localImage(
  name: string,
  image: ImageName,
  { version, removal, parent }: Given,
): Output<string> {
  const { folder, hash } = imageContexts()[image];
  const tag = imageTag(name, `${image}:${version}-${hash}`);
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
    // The provider would fail where another container is made of it.
    { parent, retainOnDelete: true, dependsOn: [removal] },
  );
  return output(built.id).apply(() => tag);
}
