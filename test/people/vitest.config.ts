import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { vitestOptions } from '../support/vitest-options.ts';

// `npm run test:people`: what people have in their hands, as they use it: pages in a real browser, the command at a real
// terminal, the client as it is published, the commands of the documentation.

export default defineConfig(async () => ({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    ...(await vitestOptions('test/people/**/*.people.ts')),
    maxWorkers: 2,
  },
}));
