import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ContainerSpec } from '../../../../runtime/containers/container-backend.ts';
import {
  ProcessBackend,
  type ProcessBackendOptions,
} from '../../../../runtime/containers/process/process-backend.ts';
import { readProcessTable } from '../../../../runtime/containers/process/process-table.ts';
import { parseWorkspaceId, workspaceContainerId } from '../../../../runtime/contracts/ids.ts';
import { TestApp } from '../../../contract/container-backend/apps/app-calls.ts';
import { PORT_ENTRY, TEST_APP } from '../../../contract/container-backend/apps/process-apps.ts';
import { AGENT_ENTRY } from '../../../contract/container-backend/process-backends.ts';
import { TestFolder } from '../../../contract/container-backend/test-folder.ts';
import { must } from '../../../support/must.ts';
import { bubblewrap, describeWith } from '../../../support/services/provided.ts';
import { startRuntime } from './runtime-process.ts';

const spec: ContainerSpec = {
  id: workspaceContainerId(must(parseWorkspaceId('demo'))),
  role: 'workspace',
  image: 'test-app',
  env: {},
  labels: {},
  limits: { cpus: 1, memoryBytes: 2 ** 28, pids: 64 },
  network: 'none',
  app: { port: 8080, readOnlyRoot: false },
};

let folder: TestFolder;
let options: ProcessBackendOptions;

beforeEach(() => {
  folder = new TestFolder();
  options = optionsIn(folder);
});

afterEach(() => folder.remove());

function optionsIn({ path }: TestFolder): ProcessBackendOptions {
  return {
    installation: 'killed-apps',
    version: '1.2.3',
    dataDir: join(path, 'data'),
    socketBasePath: join(path, 's'),
    agentEntry: AGENT_ENTRY,
    nodePath: process.execPath,
    apps: {
      portEntry: PORT_ENTRY,
      programs: { 'test-app': { entry: TEST_APP, root: dirname(TEST_APP) } },
    },
  };
}

/** Starts an app, waits until it listens, and kills its runtime. */
async function runKilled(given: ProcessBackendOptions): Promise<{ pid: number; started: string }> {
  const runtime = await startRuntime({ options: given, spec });
  const looking = new ProcessBackend(given);
  await new TestApp(looking, spec.id).untilItListens();
  const [pid = '', ...started] = must(await looking.inspect(spec.id)).engineId.split('/');
  const ended = once(runtime, 'exit');
  runtime.kill('SIGKILL');
  await ended;
  return { pid: Number(pid), started: started.join('/') };
}

const expectGone = ({ pid, started }: { pid: number; started: string }) =>
  vi.waitFor(async () => expect((await readProcessTable()).get(pid)?.started).not.toBe(started), {
    timeout: 10_000,
  });

describeWith('bubblewrap', 'the app of a killed runtime, under bwrap', () => {
  it('dies with it, is seen to have ended, and is made anew', async () => {
    const sandboxed = { ...options, bwrapPath: bubblewrap().path };
    await expectGone(await runKilled(sandboxed));
    const next = new ProcessBackend(sandboxed);
    expect(await next.list('workspace')).toMatchObject([{ id: spec.id, state: 'exited' }]);
    await next.create(spec);
    await new TestApp(next, spec.id).untilItListens();
    await next.destroy(spec.id);
    expect(readdirSync(options.socketBasePath)).toEqual([]);
    await next.close();
  });
});

describe('the app of a killed runtime, without bwrap', () => {
  it('goes on, is found by the next start, and ends with a destroy', async () => {
    const first = await runKilled(options);
    const next = new ProcessBackend(options);
    expect(await next.list('workspace')).toMatchObject([{ id: spec.id, state: 'running' }]);
    await next.create(spec);
    expect(await new TestApp(next, spec.id).call('/')).toBe('the app');
    await next.destroy(spec.id);
    await expectGone(first);
    expect(readdirSync(join(options.dataDir, 'containers'))).toEqual([]);
    await next.close();
  });

  it('is ended also where its process was not written down, and no other of its name is', async () => {
    const elsewhere = new TestFolder();
    const other = new ProcessBackend(optionsIn(elsewhere));
    await other.create(spec);
    const first = await runKilled(options);
    const meta = join(options.dataDir, 'containers', spec.id, 'meta.json');
    writeFileSync(meta, JSON.stringify({ ...JSON.parse(readFileSync(meta, 'utf8')), process: undefined }));
    const next = new ProcessBackend(options);
    await next.destroy(spec.id);
    await expectGone(first);
    expect((await other.inspect(spec.id))?.state).toBe('running');
    await other.destroy(spec.id);
    elsewhere.remove();
    await next.close();
    await other.close();
  });
});
