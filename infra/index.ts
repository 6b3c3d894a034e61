import { getProject, getStack, runtime } from '@pulumi/pulumi';
import { platformName, readStackConfig } from './stack-config.ts';
import { WorkspacePlatform } from './workspace-platform.ts';

// What `pulumi up` runs: the platform that the stack's configuration describes.

const config = runtime.allConfig();
const name = platformName(config, { project: getProject(), stack: getStack() });
const platform = new WorkspacePlatform(name, readStackConfig(config));

export const { url, apiKey, backend, version, vpcId } = platform;
