import type { ImageContext, ImageName } from '../../infra/image-contexts.ts';

/** Instead of infra/image-contexts.ts: bundling takes seconds, and whoever tests the images does it. */
export function imageContexts(): Record<ImageName, ImageContext> {
  const made = (image: ImageName, letter: string) => ({
    folder: `/contexts/${image}`,
    hash: letter.repeat(12),
  });
  return {
    'workspace-base': made('workspace-base', 'a'),
    'proxy-sidecar': made('proxy-sidecar', 'b'),
    runtime: made('runtime', 'c'),
    'workspace-editor': made('workspace-editor', 'd'),
  };
}
