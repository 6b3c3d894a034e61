import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BlobCollection } from '../../../runtime/conversations/blob-collection.ts';
import { DirectoryObjectStore } from '../../../runtime/objects/directory/directory-object-store.ts';
import { openMemoryState } from '../../../runtime/state/memory/open-memory-state.ts';

const DAY = 24 * 3600 * 1000;
const sha = (digit: string) => digit.repeat(64);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('what no manifest names goes a day after it was put, in every conversation, and by one instance only', async () => {
  const objects = await DirectoryObjectStore.open(folder);
  const put = (key: string, text: string) => objects.put(key, Buffer.from(text), { size: text.length });
  const manifest = {
    format: 1,
    container_id: 'ws-000000000000',
    saved_at: new Date().toISOString(),
    truncated: false,
    files: { 'a.txt': { sha256: sha('a'), size: 1, mode: 0o644 } },
  };
  for (const name of ['acme/one', 'acme/two', 'bolt/one']) {
    await put(`workspaces/${name}/manifest.json`, JSON.stringify(manifest));
    for (const digit of ['a', 'b', 'c']) await put(`workspaces/${name}/blobs/${sha(digit)}`, digit);
  }
  await put('workspaces/acme/broken/manifest.json', 'no JSON');
  await put(`workspaces/acme/broken/blobs/${sha('b')}`, 'b');
  let now = Date.now();
  const { conversations: store, leases } = openMemoryState({ clock: { now: () => now } });
  const parts = { store, leases, objects, log: pino({ level: 'silent' }) };
  const [one, two] = ['one', 'two'].map((instance) => new BlobCollection({ ...parts, instance }));
  expect(await one?.runOnce()).toEqual({ deleted: 0 });
  now += DAY + 60_000;
  expect(await one?.runOnce()).toEqual({ deleted: 6 });
  expect(await two?.runOnce()).toEqual({ deleted: 0 });
  const left = [];
  for await (const { key } of objects.list('workspaces/acme/one/')) left.push(key.split('/').at(-1));
  expect(left).toEqual([sha('a'), 'manifest.json']);
  // What can't be read is left alone.
  expect(await objects.head(`workspaces/acme/broken/blobs/${sha('b')}`)).toBeDefined();
  await one?.close();
  await two?.close();
});
