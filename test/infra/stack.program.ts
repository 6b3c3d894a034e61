import { runtime } from '@pulumi/pulumi';
import { stackSettings } from '../support/pulumi/stack-settings.ts';
import { recordAws, settled } from './ecs/aws-mocks.ts';

// Runs the program of a stack as Pulumi does, with the settings of its file, and prints all that it registered, and
// what it exports.

const [, , stack = ''] = process.argv;
const { resources } = recordAws({ stack });
for (const [key, value] of Object.entries(stackSettings(stack))) runtime.setConfig(key, value);
const outputs: object = await import(new URL('../../infra/main.mjs', import.meta.url).href);
await settled();
console.log(JSON.stringify({ resources, outputs: Object.keys(outputs) }));
