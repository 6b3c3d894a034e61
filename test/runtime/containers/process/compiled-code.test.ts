import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ProcessBackend } from '../../../../runtime/containers/process/process-backend.ts';
import {
  homeVolume,
  parseWorkspaceId,
  type WorkspaceId,
  workspaceContainerId,
} from '../../../../runtime/contracts/ids.ts';
import { TestApp } from '../../../contract/container-backend/apps/app-calls.ts';
import { PORT_ENTRY } from '../../../contract/container-backend/apps/process-apps.ts';
import { AGENT_ENTRY } from '../../../contract/container-backend/process-backends.ts';
import { TestFolder } from '../../../contract/container-backend/test-folder.ts';
import { must } from '../../../support/must.ts';
import { bubblewrap, describeWith } from '../../../support/services/provided.ts';

const at = (path: string) => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));
const EDITOR = {
  entry: at('images/workspace-editor/server/main.ts'),
  root: at('images/workspace-editor'),
  modules: at('node_modules'),
};
const ONE = must(parseWorkspaceId('one'));
const OTHER = must(parseWorkspaceId('other'));

describe('compiled code of an app without a sandbox', () => keptForTheNextStart(() => undefined));
describeWith('bubblewrap', 'compiled code of an app under bwrap', () => {
  keptForTheNextStart(() => bubblewrap().path);
});

function keptForTheNextStart(bwrap: () => string | undefined): void {
  let folder: TestFolder;
  let backend: ProcessBackend;

  beforeEach(() => {
    folder = new TestFolder();
    const bwrapPath = bwrap();
    backend = new ProcessBackend({
      installation: 'compiled',
      version: '1.2.3',
      dataDir: join(folder.path, 'data'),
      socketBasePath: join(folder.path, 's'),
      agentEntry: AGENT_ENTRY,
      nodePath: process.execPath,
      apps: { portEntry: PORT_ENTRY, programs: { 'workspace-editor': EDITOR } },
      ...(bwrapPath === undefined ? {} : { bwrapPath }),
    });
  });
  afterEach(async () => {
    for (const id of [ONE, OTHER]) await backend.destroy(workspaceContainerId(id));
    await backend.close();
    folder.remove();
  });

  async function start(id: WorkspaceId): Promise<void> {
    await backend.volumes.provision(homeVolume(id));
    await backend.create({
      id: workspaceContainerId(id),
      role: 'workspace',
      image: 'workspace-editor',
      env: {},
      labels: {},
      limits: { cpus: 1, memoryBytes: 2 ** 28, pids: 64 },
      network: 'none',
      app: { port: 8080, volume: { name: homeVolume(id), mount: '/home/coder' }, readOnlyRoot: false },
    });
    await new TestApp(backend, workspaceContainerId(id)).untilItListens();
  }

  /** What its volume has below a folder of its own. */
  const filesIn = (id: WorkspaceId, name: string) =>
    readdirSync(join(folder.path, 'data/volumes', homeVolume(id), name), { recursive: true });

  it('is kept as soon as it listens, beside its home, for its own workspace alone', async () => {
    await backend.volumes.provision(homeVolume(OTHER));
    await start(ONE);
    await vi.waitFor(() => expect(filesIn(ONE, 'compiled').length).toBeGreaterThan(10), { timeout: 10_000 });
    expect(filesIn(ONE, 'home').filter((name) => String(name).includes('compiled'))).toEqual([]);
    expect(filesIn(OTHER, 'compiled')).toEqual([]);
  });

  it('is taken from there by the next start, which the kill of the one before does not hinder', async () => {
    await start(ONE);
    await vi.waitFor(() => expect(filesIn(ONE, 'compiled').length).toBeGreaterThan(10), { timeout: 10_000 });
    const kept = filesIn(ONE, 'compiled').toSorted();
    await backend.destroy(workspaceContainerId(ONE), { stopSeconds: 0 });
    await start(ONE);
    expect(filesIn(ONE, 'compiled').toSorted()).toEqual(kept);
  });
}
