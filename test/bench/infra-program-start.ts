import { readFileSync } from 'node:fs';
import { runtime } from '@pulumi/pulumi';
import { CERTIFICATE } from '../support/pulumi/certificate.ts';

// Runs the program of a stack against mocks, and prints how many milliseconds after the start of this process it
// registered something for the first time; then it is over.

const [, , stack = ''] = process.argv;
const file = new URL(`../../stacks/Pulumi.${stack}.yaml`, import.meta.url);
const settings = [...readFileSync(file, 'utf8').matchAll(/^ {2}(\w+:\w+): (.+)$/gm)];
if (stack === 'prod') runtime.setConfig('berth:certificateArn', CERTIFICATE);
for (const [, key = '', value = ''] of settings) runtime.setConfig(key, value);

await runtime.setMocks(
  {
    newResource() {
      console.log(performance.now());
      process.exit();
    },
    call: ({ inputs }) => inputs,
  },
  'berth',
  stack,
);
await import('../../infra/index.ts');
