import { getAuthorizationTokenOutput } from '@pulumi/aws/ecr/getAuthorizationToken.js';
import { LifecyclePolicy } from '@pulumi/aws/ecr/lifecyclePolicy.js';
import { Repository } from '@pulumi/aws/ecr/repository.js';
import { Image, Platform } from '@pulumi/docker-build';
import { interpolate, type Output, secret } from '@pulumi/pulumi';
import { type ImageName, imageContexts } from '../image-contexts.ts';
import type { EcsPlace } from './ecs-place.ts';

/** More than ever run at once: the ones before stay for tasks that still name them. */
const IMAGES_KEPT = 50;

/** An image in a registry of the account, named by its digest. */
export interface EcsImage {
  ref: Output<string>;
  repositoryArn: Output<string>;
}

/** Builds one of our images and pushes it. A tag names version and content and is never moved. */
export function ecsImage(place: EcsPlace, image: ImageName, version: string): EcsImage {
  const { name, parent, tags } = place;
  const called = `${name}-${image}`;
  const repository = new Repository(
    called,
    {
      name: `${name}/${image}`,
      imageTagMutability: 'IMMUTABLE',
      imageScanningConfiguration: { scanOnPush: true },
      encryptionConfigurations: [{ encryptionType: 'AES256' }],
      forceDelete: true, // what is in it can be built again
      tags,
    },
    { parent },
  );
  new LifecyclePolicy(
    called,
    { repository: repository.name, policy: JSON.stringify({ rules: [keepNewest()] }) },
    { parent },
  );
  const { folder, hash } = imageContexts()[image];
  const built = new Image(
    called,
    {
      tags: [interpolate`${repository.repositoryUrl}:${version}-${hash}`],
      context: { location: folder },
      dockerfile: { location: `${folder}/Dockerfile` },
      labels: { 'berth.image': image, 'berth.version': version, 'berth.source-hash': hash },
      platforms: [Platform.Linux_amd64],
      registries: [credentials(place, repository)],
      push: true,
      buildOnPreview: false,
    },
    // Tasks of an earlier deployment still name the one before.
    { parent, retainOnDelete: true },
  );
  return { ref: interpolate`${repository.repositoryUrl}@${built.digest}`, repositoryArn: repository.arn };
}

function credentials({ account, parent }: EcsPlace, repository: Repository) {
  const token = getAuthorizationTokenOutput({ registryId: account }, { parent });
  return {
    address: repository.repositoryUrl,
    username: token.userName,
    password: secret(token.password),
  };
}

function keepNewest() {
  return {
    rulePriority: 1,
    description: `The newest ${IMAGES_KEPT}`,
    selection: { tagStatus: 'any', countType: 'imageCountMoreThan', countNumber: IMAGES_KEPT },
    action: { type: 'expire' },
  };
}
