import { runtime } from '@pulumi/pulumi';
import { stackSettings } from '../support/pulumi/stack-settings.ts';

// Runs the program of a stack against mocks, and prints how many milliseconds after the start of this process it
// registered something for the first time; then it is over.

const [, , stack = ''] = process.argv;
for (const [key, value] of Object.entries(stackSettings(stack))) runtime.setConfig(key, value);

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
await import(new URL('../../infra/main.mjs', import.meta.url).href); // its types are those of what it imports
