import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProcessBackend } from '../../../runtime/containers/process/process-backend.ts';
import type { BackendUnderTest } from './harness.ts';
import { TestFolder } from './test-folder.ts';

export const AGENT_ENTRY = fileURLToPath(
  new URL('../../../images/workspace-base/agent/main.ts', import.meta.url),
);

/** A process backend on a folder of its own; without bwrap where no path to it is given. */
export function processBackends(bwrapPath: string | undefined): BackendUnderTest {
  const folder = new TestFolder();
  const data = join(folder.path, 'data');
  return {
    open: (options) =>
      new ProcessBackend({
        version: '1.2.3',
        dataDir: data,
        socketBasePath: join(folder.path, 's'),
        agentEntry: AGENT_ENTRY,
        nodePath: process.execPath,
        ...(bwrapPath === undefined ? {} : { bwrapPath }),
        ...options,
      }),
    image: 'workspace-base:1.2.3',
    hasTraces: (id) =>
      [
        join(folder.path, 's', id),
        ...['', '.new-', '.gone-'].map((before) => join(data, 'containers', `${before}${id}`)),
      ].some(existsSync),
    remove: async () => folder.remove(),
  };
}
