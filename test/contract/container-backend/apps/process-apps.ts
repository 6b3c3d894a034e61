import { chownSync, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProcessBackend } from '../../../../runtime/containers/process/process-backend.ts';
import { SANDBOX_UID_BESIDE_RUNTIME } from '../../../../runtime/contracts/container-limits.ts';
import { AGENT_ENTRY } from '../process-backends.ts';
import { TestFolder } from '../test-folder.ts';
import type { AppsUnderTest } from './app-harness.ts';

export const TEST_APP = fileURLToPath(new URL('../../../support/fixtures/test-app.ts', import.meta.url));
export const PORT_ENTRY = fileURLToPath(
  new URL('../../../../images/workspace-base/port/main.ts', import.meta.url),
);

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
          programs: { 'test-app': { entry: TEST_APP, root: dirname(TEST_APP) } },
        },
        ...(bwrapPath === undefined ? {} : { bwrapPath }),
        ...options,
      }),
    image: 'test-app:1.2.3',
    makeVolume: async (name) => {
      mkdirSync(homeOf(name), { recursive: true });
      const dropped = process.getuid?.() === 0 && bwrapPath !== undefined;
      if (dropped) chownSync(homeOf(name), SANDBOX_UID_BESIDE_RUNTIME, SANDBOX_UID_BESIDE_RUNTIME);
    },
    hasVolume: async (name) => existsSync(homeOf(name)),
    hasTraces: async (id) =>
      [
        join(folder.path, 's', id),
        ...['', '.new-', '.gone-'].map((before) => join(data, 'containers', `${before}${id}`)),
      ].some(existsSync),
    remove: async () => folder.remove(),
  };
}
