import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { eventually } from '../support/cluster.ts';
import { CuttableRelay } from '../support/cuttable-relay.ts';
import { describeTree, makeTree } from '../support/home-tree.ts';
import { type Fate, HttpRelay, type RelayedRequest } from '../support/http-relay.ts';
import type { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith, objectStore } from '../support/services/provided.ts';
import { StoredObjects } from '../support/stored-objects.ts';
import { WorkspaceCalls } from '../support/workspace-calls.ts';
import { WORKSPACE_SERVICES, WorkspaceCluster } from '../support/workspace-cluster.ts';

const MiB = 1024 * 1024;

/** What becomes of an archive in its store; the returned function puts it right again. */
const HARM: Record<string, (objects: StoredObjects, key: string) => Promise<() => Promise<void>>> = {
  'changed a byte of it': (objects, key) =>
    replaced(objects, key, (right) => {
      const wrong = Buffer.from(right);
      const at = wrong.length >> 1;
      wrong.writeUInt8(wrong.readUInt8(at) ^ 1, at);
      return wrong;
    }),
  'lost its end': (objects, key) => replaced(objects, key, (right) => right.subarray(0, right.length - 100)),
  'lost its .meta': (objects, key) => replaced(objects, `${key}.meta`, () => undefined),
};

/** What a store does to an archive that it has just taken. */
const WHILE_ARCHIVED: Record<string, (request: RelayedRequest) => Fate | undefined> = {
  'changes a byte of it': ({ method, path }) => (method === 'GET' && isArchive(path) ? 'corrupt' : undefined),
  'loses it': ({ method, path }) => (method === 'GET' && isArchive(path) ? NO_SUCH_KEY : undefined),
  'loses its .meta': ({ method, path }) =>
    method === 'PUT' && path.includes('.meta') ? { status: 200, headers: { etag: '"lost"' } } : undefined,
};

const NO_SUCH_KEY = {
  status: 404,
  headers: { 'content-type': 'application/xml' },
  body: '<Error><Code>NoSuchKey</Code><Message>it was lost</Message></Error>',
};

function isArchive(path: string): boolean {
  return /home\.tar\.zst(\?|$)/.test(path);
}

describeWith(WORKSPACE_SERVICES, 'a home whose archive', () => {
  it.concurrent('can not be written to its end stays, and is archived once the store is back', async () => {
    const { hostname, port } = new URL(objectStore().endpoint);
    await using relay = await CuttableRelay.open({ host: hostname, port: Number(port) });
    await using here = await WorkspaceCluster.open({
      AWS_ENDPOINT_URL_S3: `http://127.0.0.1:${relay.port}`,
    });
    const workspace = await WorkspaceCalls.make(await here.cluster.start(), here.name());
    const tree = await filled(here, workspace, 32 * MiB);

    relay.cutAfter(12 * MiB);
    await workspace.want('PENDING');
    await eventually(() => expect(relay.isCut).toBe(true));
    await workspace.fails({ code: 'STORE_UNAVAILABLE', terminal: false });
    expect(await here.hasVolume(workspace.id)).toBe(true);
    expect(await archiveKey(here, workspace)).toBeNull();
    expect(await describeTree(here.home(workspace.id))).toEqual(tree);

    relay.restore();
    await here.isDue(workspace.id);
    await workspace.settles({ observed_status: 'PENDING', archived: true, error: null });
    expect(await here.hasVolume(workspace.id)).toBe(false);
    await workspace.want('STANDBY');
    await workspace.settles({ observed_status: 'STANDBY' });
    expect(await describeTree(here.home(workspace.id))).toEqual(tree);
  });

  it.concurrent('passes through a runtime that keeps it neither in memory nor on its disk', async () => {
    await using here = await WorkspaceCluster.open();
    const runtime = await here.cluster.start();
    const workspace = await WorkspaceCalls.make(runtime, here.name());
    await filled(here, workspace, 256 * MiB);

    const before = footprint(runtime);
    await workspace.want('PENDING');
    await workspace.settles({ observed_status: 'PENDING', archived: true });
    await workspace.want('STANDBY');
    await workspace.settles({ observed_status: 'STANDBY' });
    const after = footprint(runtime);
    expect(after.mostMemory - before.mostMemory).toBeLessThan(128 * MiB);
    expect(after.written - before.written).toBeLessThan(16 * MiB);
  });

  it.concurrent.for(Object.keys(WHILE_ARCHIVED))(
    'is being written to a store that %s stays, and is archived once the store does not',
    async (harm) => {
      await using relay = await HttpRelay.open(objectStore().endpoint);
      await using here = await WorkspaceCluster.open({ AWS_ENDPOINT_URL_S3: relay.url });
      const workspace = await WorkspaceCalls.make(await here.cluster.start(), here.name());
      const tree = await filled(here, workspace, 4 * MiB);

      relay.fate = (request) => WHILE_ARCHIVED[harm]?.(request) ?? 'pass';
      await workspace.want('PENDING');
      await workspace.fails({ code: 'ARCHIVE_FAILED', terminal: false });
      expect(await here.hasVolume(workspace.id)).toBe(true);
      expect(await archiveKey(here, workspace)).toBeNull();
      expect(await describeTree(here.home(workspace.id))).toEqual(tree);

      relay.fate = () => 'pass';
      await here.isDue(workspace.id);
      await workspace.settles({ observed_status: 'PENDING', archived: true, error: null });
      expect(await here.hasVolume(workspace.id)).toBe(false);
      await workspace.want('STANDBY');
      await workspace.settles({ observed_status: 'STANDBY' });
      expect(await describeTree(here.home(workspace.id))).toEqual(tree);
    },
  );

  it.concurrent.for(Object.keys(HARM))(
    'is in a store that %s never runs half, and is all there once that is put right',
    async (harm) => {
      await using here = await WorkspaceCluster.open();
      using objects = new StoredObjects(here.cluster.installation);
      const workspace = await WorkspaceCalls.make(await here.cluster.start(), here.name());
      const tree = await filled(here, workspace, 4 * MiB);
      await workspace.want('PENDING');
      await workspace.settles({ observed_status: 'PENDING', archived: true });
      const putRight = await HARM[harm]?.(objects, String(await archiveKey(here, workspace)));

      const visited = await workspace.visit('/healthz');
      expect(visited.status).toBe(502);
      expect(await visited.json()).toMatchObject({ code: 'ARCHIVE_CORRUPT' });
      await workspace.fails({ code: 'ARCHIVE_CORRUPT', count: 1, terminal: true });
      expect(await here.containers(workspace.id)).toEqual([]);
      // Whoever comes meanwhile changes nothing about it.
      expect((await workspace.visit('/healthz')).status).toBe(502);

      await putRight?.();
      expect((await workspace.retry()).status).toBe(202);
      await workspace.settles({ observed_status: 'RUNNING', error: null });
      expect(await describeTree(here.home(workspace.id))).toEqual(tree);
    },
  );
});

/** In STANDBY, with all that is hard to keep and so many bytes that can't be compressed. */
async function filled(here: WorkspaceCluster, workspace: WorkspaceCalls, bytes: number): Promise<string[]> {
  await workspace.settles({ observed_status: 'RUNNING' });
  await workspace.want('STANDBY');
  await workspace.settles({ observed_status: 'STANDBY' });
  const home = here.home(workspace.id);
  await makeTree(home, { files: 50 });
  await home(FILL, String(bytes));
  return describeTree(home);
}

const FILL = `import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
const [, home, bytes] = process.argv;
writeFileSync(home + '/random', randomBytes(Number(bytes)));`;

/** In bytes: the most memory that it ever had, and what it has written to disks. */
function footprint({ child }: RuntimeProcess): { mostMemory: number; written: number } {
  const read = (file: string, pattern: RegExp) =>
    Number(pattern.exec(readFileSync(`/proc/${child.pid}/${file}`, 'utf8'))?.[1]);
  return {
    mostMemory: read('status', /^VmHWM:\s+(\d+)/m) * 1024,
    written: read('io', /^write_bytes: (\d+)/m),
  };
}

async function archiveKey(here: WorkspaceCluster, { id }: WorkspaceCalls): Promise<unknown> {
  const [row] = await here.sql('SELECT archive_key FROM workspaces WHERE id = $1', [id]);
  return row?.archive_key;
}

async function replaced(
  objects: StoredObjects,
  key: string,
  change: (right: Uint8Array) => Uint8Array | undefined,
): Promise<() => Promise<void>> {
  const right = await objects.get(key);
  const wrong = change(right);
  if (wrong === undefined) await objects.delete(key);
  else await objects.put(key, wrong);
  return () => objects.put(key, right);
}
