import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vi } from 'vitest';
import type { EcsBackend } from '../../../runtime/containers/ecs/ecs-backend.ts';
import { timelessVolumeLabels } from '../../../runtime/containers/ownership.ts';
import { type VolumeName, workspaceContainerId, workspaceOfVolume } from '../../../runtime/contracts/ids.ts';
import { ecsBackend, ecsOptions, startEcsWithFiles } from '../../ecs/ecs-on-docker.ts';
import { FILE_SYSTEM } from '../../ecs/runtime-access.ts';
import { makeFolder } from '../../support/ecs-emulator/docker/volume-sources.ts';
import { inFolderAs } from '../../support/home-tree.ts';
import { must } from '../../support/must.ts';
import { editorImage } from '../../support/services/provided.ts';
import { OTHERS, OURS, type VolumesUnderTest } from './volumes-under-test.ts';

const USER = 1000;
/** More calls than an account may make: what is tested are the volumes. */
const UNHURRIED = { instances: 0.01, pollSeconds: 0.1 };

/** Access points of the emulator's file system, and the tasks that work on what is behind them. */
export async function ecsVolumes(): Promise<VolumesUnderTest> {
  const efsFolder = mkdtempSync(join(tmpdir(), 'berth-efs-contract-'));
  const emulator = await startEcsWithFiles([OURS, OTHERS], { efsFolder, rates: {} });
  const { accessPoints } = emulator;
  const opened: EcsBackend[] = [];
  const mounted: string[] = [];

  const backendOf = (installation: string) => {
    const backend = ecsBackend(emulator, { installation, ...UNHURRIED });
    opened.push(backend);
    return backend;
  };
  const planted = (name: string) =>
    accessPoints
      .of(FILE_SYSTEM)
      .find(({ Tags }) => Tags.some(({ Key, Value }) => Key === 'Name' && Value === name));
  const home = (name: string) => makeFolder(join(efsFolder, FILE_SYSTEM), must(planted(name)));
  const workersOf = (name: string) =>
    emulator.tasks.filter(
      ({ identity, containers }) =>
        identity.startedBy === `berth-files/${name}` && containers.some(({ status }) => status !== 'STOPPED'),
    );

  return {
    open: (installation) => must(backendOf(installation).volumes),
    owner: `${USER}:${USER}`,
    inside: (name) => inFolderAs(USER, home(name)),
    tree: { readable: true },
    goesAtOnce: true,
    async plant(name, installation) {
      // The cast: what is planted may have a name that is none.
      const labels = timelessVolumeLabels(name as VolumeName, { installation, version: '1.2.3' });
      accessPoints.create({
        ClientToken: name,
        FileSystemId: FILE_SYSTEM,
        RootDirectory: { Path: '/' },
        Tags: Object.entries({ ...labels, Name: name }).map(([Key, Value]) => ({ Key, Value })),
      });
    },
    isPlanted: async (name) => planted(name) !== undefined,
    uproot: async (name) => accessPoints.delete(must(planted(name)).AccessPointId),
    async provisionSmall(name, installation) {
      await must(backendOf(installation).volumes).provision(name);
      const options = `size=1m,uid=${USER},gid=${USER},mode=755`;
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', home(name)]);
      mounted.push(home(name));
    },
    async occupy(name) {
      const id = workspaceContainerId(must(workspaceOfVolume(name)));
      const backend = backendOf(OURS);
      await backend.create({
        id,
        role: 'workspace',
        image: editorImage(),
        env: { HOME: '/home/coder' },
        proxyEnv: { PROXY_ADMIN_KEY: 'k'.repeat(64) },
        labels: {},
        limits: { cpus: 1, memoryBytes: 2 ** 28, pids: 128 },
        network: 'none',
        app: {
          port: 8080,
          user: `${USER}:${USER}`,
          volume: { name, mount: '/home/coder' },
          readOnlyRoot: false,
        },
      });
      return () => backend.destroy(id);
    },
    working: async (name) => workersOf(name).length,
    running: async (name) => workersOf(name).filter(({ status }) => status === 'RUNNING').length,
    opening: { kind: 'ecs', options: { ...ecsOptions(emulator), installation: OURS, ...UNHURRIED } },
    async kill(name) {
      const running = () =>
        must(workersOf(name).find(({ containers: [helper] }) => helper?.status === 'RUNNING'));
      const { arn } = await vi.waitFor(running, { timeout: 20_000, interval: 10 });
      await emulator.killContainer(arn, 'volume-helper');
    },
    async beforeRemoval() {
      for (const path of mounted.splice(0)) execFileSync('umount', [path]);
    },
    async close() {
      for (const backend of opened) await backend.close();
      await emulator[Symbol.asyncDispose]();
      rmSync(efsFolder, { recursive: true, force: true });
    },
  };
}
