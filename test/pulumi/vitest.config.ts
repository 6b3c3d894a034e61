import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { PULUMI } from '../support/pulumi/describe-with-pulumi.ts';
import { findPulumi, REMEDY } from '../support/pulumi/engine.ts';
import { vitestOptions } from '../support/vitest-options.ts';

// `npm run test:pulumi`: the stacks on a real Pulumi engine, which is built where there is none.

export default defineConfig(async () => {
  const found = await findPulumi((line) => console.error(line));
  if ('problem' in found) {
    const problem = `without pulumi: ${found.problem}. To have it: ${REMEDY}`;
    if (process.env.CI && process.env.CI !== 'false') throw new Error(problem);
    console.error(problem);
  }
  const options = await vitestOptions('test/pulumi/**/*.pulumi.ts');
  return {
    root: fileURLToPath(new URL('../..', import.meta.url)),
    test: {
      ...options,
      env: {
        ...options.env,
        ...('folder' in found ? { [PULUMI.folder]: found.folder } : { [PULUMI.missing]: found.problem }),
      },
      maxWorkers: 2, // a stack each, however few cores there are
      // A test is a run of several commands, each of which ends by itself where it hangs.
      testTimeout: 1_200_000,
      hookTimeout: 1_200_000,
    },
  };
});
