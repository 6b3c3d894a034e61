import { getProject, getStack, runtime } from '@pulumi/pulumi';
import { regionOf } from './ecs/ecs-place.ts';
import { readStack } from './stack-config.ts';
import { WorkspacePlatform } from './workspace-platform.ts';

// What `pulumi up` runs: the platform that the stack's configuration describes.

const { name, args } = readStack(runtime.allConfig(), {
  project: getProject(),
  stack: getStack(),
  region: regionOf(),
});
const platform = new WorkspacePlatform(name, args);

export const { url, apiKey, backend, version, vpcId } = platform;
