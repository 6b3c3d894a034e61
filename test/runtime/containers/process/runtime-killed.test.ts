import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  ProcessBackend,
  type ProcessBackendOptions,
} from '../../../../runtime/containers/process/process-backend.ts';
import { readProcessTable } from '../../../../runtime/containers/process/process-table.ts';
import { AGENT_ENTRY } from '../../../contract/container-backend/process-backends.ts';
import { agentOf, containerSpec } from '../../../contract/container-backend/specs.ts';
import { TestFolder } from '../../../contract/container-backend/test-folder.ts';
import { must } from '../../../support/must.ts';
import { bubblewrap, describeWith } from '../../../support/services/provided.ts';
import { forkRuntime, startRuntime } from './runtime-process.ts';

let folder: TestFolder;
let options: ProcessBackendOptions;

beforeEach(() => {
  folder = new TestFolder();
  options = {
    installation: 'killed-tests',
    version: '1.2.3',
    dataDir: join(folder.path, 'data'),
    socketBasePath: join(folder.path, 's'),
    agentEntry: AGENT_ENTRY,
    nodePath: process.execPath,
  };
});

afterEach(() => folder.remove());

/** The runtime's children and theirs, with their start times. */
async function descendantsOf(pid: number): Promise<{ pid: number; started: string }[]> {
  const table = await readProcessTable();
  const found = [must(table.get(pid))];
  for (const parent of found)
    for (const each of table.values()) if (each.parent === parent.pid) found.push(each);
  return found.slice(1);
}

async function runKilled(given: ProcessBackendOptions) {
  const spec = containerSpec('workspace-base');
  const runtime = await startRuntime({ options: given, spec });
  const children = await descendantsOf(must(runtime.pid));
  expect(children.length).toBeGreaterThan(0);
  const ended = once(runtime, 'exit');
  runtime.kill('SIGKILL');
  await ended;
  return { spec, children };
}

const expectGone = (children: { pid: number; started: string }[]) =>
  vi.waitFor(async () => {
    const table = await readProcessTable();
    expect(children.filter(({ pid, started }) => table.get(pid)?.started === started)).toEqual([]);
  });

describeWith('bubblewrap', 'a killed runtime under bwrap', () => {
  it('takes its containers with it, and the next start finds and removes what is left', async () => {
    const sandboxed = { ...options, bwrapPath: bubblewrap().path };
    const { spec, children } = await runKilled(sandboxed);
    await expectGone(children);
    const next = new ProcessBackend(sandboxed);
    expect(await next.list('conversation')).toMatchObject([{ id: spec.id, state: 'exited' }]);
    await next.destroy(spec.id);
    expect(await next.list('conversation')).toEqual([]);
    expect(readdirSync(options.socketBasePath)).toEqual([]);
  });

  it('while a container starts, leaves nothing that the next start does not end', async () => {
    const sandboxed = { ...options, bwrapPath: bubblewrap().path };
    const spec = containerSpec('workspace-base');
    const runtime = forkRuntime({ options: sandboxed, spec });
    const pid = must(runtime.pid);
    const started = async () => expect(await descendantsOf(pid)).not.toEqual([]);
    await vi.waitFor(started, { interval: 1, timeout: 10_000 });
    const ended = once(runtime, 'exit');
    runtime.kill('SIGKILL');
    await ended;
    await new ProcessBackend(sandboxed).destroy(spec.id);
    // A child that had not begun its program yet when it was looked for finds its folders gone, and ends by itself.
    await vi.waitFor(async () => expect(await commandsNaming(spec.id)).toEqual([]), { timeout: 5_000 });
    expect(readdirSync(join(options.dataDir, 'containers'))).toEqual([]);
  });
});

/** Command lines of processes that run bwrap for a container. */
async function commandsNaming(id: string): Promise<string[]> {
  const pids = [...(await readProcessTable()).keys()];
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.filter((line) => line.includes(id));
}

describe('a killed runtime without bwrap', () => {
  it('leaves its containers running, and the next start finds and ends them', async () => {
    const { spec, children } = await runKilled(options);
    const next = new ProcessBackend(options);
    expect(await next.list('conversation')).toMatchObject([{ id: spec.id, state: 'running' }]);
    expect(await agentOf(next, spec).proves()).toBe(true);
    await next.destroy(spec.id);
    await expectGone(children);
    expect(readdirSync(join(options.dataDir, 'containers'))).toEqual([]);
  });

  it('before it wrote down the process, leaves one that the next start ends all the same', async () => {
    const { spec, children } = await runKilled(options);
    const meta = join(options.dataDir, 'containers', spec.id, 'meta.json');
    const record = JSON.parse(readFileSync(meta, 'utf8'));
    writeFileSync(meta, JSON.stringify({ ...record, process: undefined }));
    const next = new ProcessBackend(options);
    expect(await next.list('conversation')).toMatchObject([{ id: spec.id, state: 'created' }]);
    await next.destroy(spec.id);
    await expectGone(children);
  });
});

describe('the process backend', () => {
  it('never signals a process that only has the pid of a container that ended', async () => {
    const spec = containerSpec('workspace-base');
    const backend = new ProcessBackend(options);
    await backend.create(spec);
    const meta = join(options.dataDir, 'containers', spec.id, 'meta.json');
    const record = JSON.parse(readFileSync(meta, 'utf8'));
    writeFileSync(
      meta,
      JSON.stringify({ ...record, process: { pid: process.pid, started: 'another boot/1' } }),
    );
    expect((await backend.inspect(spec.id))?.state).toBe('exited');
    await backend.destroy(spec.id); // this test, whose pid it names, lives on
    expect(await backend.inspect(spec.id)).toBeUndefined();
  });

  it('clears away what a crash left half made or half removed, and leaves what it cannot read', async () => {
    const containers = join(options.dataDir, 'containers');
    for (const name of ['.new-ws-0123456789ab', '.gone-ws-0123456789ab', 'ws-0123456789ac', 'other']) {
      mkdirSync(join(containers, name), { recursive: true });
    }
    writeFileSync(join(containers, 'ws-0123456789ac', 'meta.json'), 'not JSON');
    const backend = new ProcessBackend(options);
    expect(await backend.list('conversation')).toEqual([]);
    expect(readdirSync(containers).sort()).toEqual(['other', 'ws-0123456789ac']);
  });
});
