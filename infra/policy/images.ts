import { object, text } from './reading.ts';
import type { ResourceRule } from './rule.ts';
import { DOCKER_CONTAINER, eachContainer, TASK_DEFINITION } from './task-containers.ts';

const DIGEST = /(^|@)sha256:[0-9a-f]{64}$/;
/** As an image of ours is tagged that never left its engine: by version and content, for one platform. */
const CONTENT_TAG = /:\d+\.\d+\.\d+(-[\w.-]+)?-[0-9a-f]{12}(\.[a-z0-9-]+)?$/;

export const imagesByDigest: ResourceRule = {
  name: 'images-by-digest',
  description: 'A container names its image by what is in it: a tag can be moved.',
  level: 'mandatory',
  fix: 'Name the image as repository@sha256:…, which docker-build tells as digest or ref',
  checks: {
    [TASK_DEFINITION]: eachContainer(({ image }) =>
      DIGEST.test(text(image)) ? [] : [`runs ${text(image) || 'no image'}, which is no digest`],
    ),
    [DOCKER_CONTAINER]: ({ image }) =>
      [DIGEST, CONTENT_TAG].some((named) => named.test(text(image)))
        ? []
        : [`The container runs ${text(image) || 'no image'}, whose tag can be moved`],
  },
};

export const lastingTags: ResourceRule = {
  name: 'lasting-tags',
  description: 'Tags of a registry are never moved, and what is pushed is scanned.',
  level: 'advisory',
  fix: 'Set imageTagMutability to IMMUTABLE and imageScanningConfiguration.scanOnPush to true',
  checks: {
    'aws:ecr/repository:Repository': ({ imageTagMutability, imageScanningConfiguration }) => [
      ...(imageTagMutability === 'IMMUTABLE' ? [] : ['Tags of the registry can be moved']),
      ...(object(imageScanningConfiguration).scanOnPush === true ? [] : ['Images are not scanned']),
    ],
  },
};
