import { getProject, runtime } from '@pulumi/pulumi';
import { readStackConfig } from './stack-config.ts';
import { WorkspacePlatform } from './workspace-platform.ts';

// What `pulumi up` runs: the platform that the stack's configuration describes.

const platform = new WorkspacePlatform(getProject(), readStackConfig(runtime.allConfig()));

export const { url, apiKey, backend, version, vpcId } = platform;
