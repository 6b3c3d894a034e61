import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { volumeLabels } from '../../../runtime/containers/ownership.ts';
import { ContainerFolder } from '../../../runtime/containers/process/container-folder.ts';
import {
  ProcessBackend,
  type ProcessBackendOptions,
} from '../../../runtime/containers/process/process-backend.ts';
import { readProcessTable } from '../../../runtime/containers/process/process-table.ts';
import { type VolumeName, workspaceContainerId, workspaceOfVolume } from '../../../runtime/contracts/ids.ts';
import { inFolder } from '../../support/home-tree.ts';
import { must } from '../../support/must.ts';
import { AGENT_ENTRY } from '../container-backend/process-backends.ts';
import { TestFolder } from '../container-backend/test-folder.ts';
import { OURS, type VolumesUnderTest } from './volumes-under-test.ts';

/** A process backend on a folder of its own; without bwrap where no path to it is given. */
export function processVolumes(bwrapPath: string | undefined): VolumesUnderTest {
  const folder = new TestFolder();
  const data = join(folder.path, 'data');
  const home = (name: string) => join(data, 'volumes', name, 'home');
  const opened = new Map<string, ProcessBackend>();
  const mounted: string[] = [];
  const owner = process.getuid?.() === 0 && bwrapPath !== undefined ? 10001 : process.getuid?.();

  const open = (installation: string) => {
    // The data directory is one runtime's alone: the same calls meet in it.
    const backend =
      opened.get(installation) ?? new ProcessBackend(optionsOf(folder.path, bwrapPath, installation));
    opened.set(installation, backend);
    return backend.volumes;
  };

  return {
    open,
    owner: `${owner}:${owner}`,
    inside: (name) => inFolder(home(name)),
    async plant(name, installation) {
      mkdirSync(home(name), { recursive: true });
      // The cast: what is planted may have a name that is none.
      const labels = volumeLabels(name as VolumeName, { installation, version: '1.2.3' }, new Date());
      writeFileSync(join(data, 'volumes', name, 'meta.json'), JSON.stringify({ labels }));
    },
    isPlanted: async (name) => existsSync(home(name)),
    uproot: async (name) => rmSync(join(data, 'volumes', name), { recursive: true }),
    async provisionSmall(name, installation) {
      await open(installation).provision(name);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', home(name)]);
      mounted.push(home(name));
    },
    async occupy(name) {
      const id = workspaceContainerId(must(workspaceOfVolume(name)));
      const container = new ContainerFolder(join(data, 'containers'), id);
      await container.prepare(undefined, { labels: {}, isolated: false });
      return () => container.remove();
    },
    working: async (name) => (await workersOf(home(name))).length,
    running: async (name) => (await workersOf(home(name))).length,
    opening: { kind: 'process', options: optionsOf(folder.path, bwrapPath, OURS) },
    async kill(name) {
      for (const pid of await workersOf(home(name))) process.kill(pid, 'SIGKILL');
    },
    async close() {
      for (const backend of opened.values()) await backend.close();
      folder.remove();
    },
    async beforeRemoval() {
      for (const path of mounted.splice(0)) execFileSync('umount', [path]);
    },
  };
}

function optionsOf(
  folder: string,
  bwrapPath: string | undefined,
  installation: string,
): ProcessBackendOptions {
  return {
    installation,
    version: '1.2.3',
    dataDir: join(folder, 'data'),
    socketBasePath: join(folder, 's'),
    agentEntry: AGENT_ENTRY,
    nodePath: process.execPath,
    ...(bwrapPath === undefined ? {} : { bwrapPath }),
  };
}

/** Processes that were given this home. */
async function workersOf(home: string): Promise<number[]> {
  const found: number[] = [];
  for (const { pid } of (await readProcessTable()).values()) {
    const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (words.split('\0').includes(home)) found.push(pid);
  }
  return found;
}
