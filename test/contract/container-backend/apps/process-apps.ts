import { chownSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProcessBackend } from '../../../../runtime/containers/process/process-backend.ts';
import { socketFolderName } from '../../../../runtime/containers/socket-folder.ts';
import { SANDBOX_UID_BESIDE_RUNTIME } from '../../../../runtime/contracts/container-limits.ts';
import { AGENT_ENTRY } from '../process-backends.ts';
import { TestFolder } from '../test-folder.ts';
import type { AppsUnderTest } from './app-harness.ts';

export const TEST_APP = fileURLToPath(new URL('../../../support/fixtures/test-app.ts', import.meta.url));
const inImages = (path: string): string =>
  fileURLToPath(new URL(`../../../../images/${path}`, import.meta.url));
export const PORT_ENTRY = inImages('workspace-base/port/main.ts');

/** A process backend that knows one program; without bwrap where no path to it is given. */
export async function processApps(bwrapPath: string | undefined): Promise<AppsUnderTest> {
  const folder = new TestFolder();
  const data = join(folder.path, 'data');
  const homeOf = (name: string) => join(data, 'volumes', name, 'home');
  return {
    open: (options) =>
      new ProcessBackend({
        version: '1.2.3',
        dataDir: data,
        socketBasePath: join(folder.path, 's'),
        agentEntry: AGENT_ENTRY,
        nodePath: process.execPath,
        apps: {
          portEntry: PORT_ENTRY,
          programs: {
            'test-app': { entry: TEST_APP, root: dirname(TEST_APP) },
            'function-node': {
              entry: inImages('function-node/server/main.ts'),
              root: inImages('function-node'),
            },
            'function-python': {
              entry: inImages('function-python/server/main.py'),
              root: inImages('function-python'),
              runsBy: 'python3',
            },
          },
        },
        ...(bwrapPath === undefined ? {} : { bwrapPath }),
        ...options,
      }),
    image: 'test-app:1.2.3',
    functionImages: { node: 'function-node:1.2.3', python: 'function-python' },
    makeVolume: async (name) => {
      mkdirSync(homeOf(name), { recursive: true });
      const dropped = process.getuid?.() === 0 && bwrapPath !== undefined;
      if (dropped) chownSync(homeOf(name), SANDBOX_UID_BESIDE_RUNTIME, SANDBOX_UID_BESIDE_RUNTIME);
    },
    hasVolume: async (name) => existsSync(homeOf(name)),
    hasTraces: async (id) =>
      [
        join(folder.path, 's', socketFolderName(id)),
        ...['', '.new-', '.gone-'].map((before) => join(data, 'containers', `${before}${id}`)),
      ].some(existsSync),
    remove: async () => folder.remove(),
  };
}
