import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AgentMisbehaved } from '../../../runtime/agent-client/agent-failures.ts';
import { isBerthError } from '../../../runtime/contracts/errors.ts';
import { restoreFiles } from '../../../runtime/saving/restore-files.ts';
import { readSavedManifest } from '../../../runtime/saving/saved-manifest.ts';
import { must } from '../../support/must.ts';
import { entryOf, FakeAgent, sha256 } from './fake-agent.ts';
import { SavingScenario, savedVersionOf, soon } from './saving-scenario.ts';

const MiB = 1024 * 1024;
const scenario = SavingScenario.use(undefined, 1);
let agent: FakeAgent;

beforeEach(async () => {
  agent = await FakeAgent.start();
});
afterEach(() => agent.stop());

async function isRefused(): Promise<void> {
  await expect(scenario.saveFrom(agent.client)).rejects.toThrow(AgentMisbehaved);
  expect(scenario.store.manifestPuts).toEqual([]);
  // One may stay for the next call; none waits for somebody to read it.
  await vi.waitFor(async () => expect(await agent.connections()).toBeLessThanOrEqual(1));
}

async function storesNothing(): Promise<void> {
  await isRefused();
  expect(await scenario.keys()).toEqual([]);
}

describe('a list of files is refused', () => {
  it.each([
    '',
    '/etc/passwd',
    '../../manifest.json',
    'a/../b',
    'a/..',
    './a',
    'a/./b',
    'a//b',
    'a/',
    'a\0b',
    '\ud800',
    'x'.repeat(256),
    '.berth-0123456789abcdef.tmp',
  ])('with the path %j', async (path) => {
    agent.add('good', 'good');
    agent.add(path, 'x');
    await storesNothing();
    expect(agent.requests).toEqual(['GET ']);
  });

  it('with a path twice', async () => {
    agent.add('a', 'x');
    agent.add('a', 'y');
    await storesNothing();
  });

  it('with a file below a file', async () => {
    for (const path of ['a', 'a b', 'a/b/c']) agent.add(path, 'x');
    await storesNothing();
  });

  it('with two sizes for one hash', async () => {
    agent.add('a', 'x');
    agent.add('b', 'x', { size: 2 });
    await storesNothing();
  });

  it('with another size than the hash has that is saved', async () => {
    agent.add('a', 'x');
    const version = must(savedVersionOf(await scenario.saveFrom(agent.client)));
    agent.listing.files = [{ ...entryOf('a', 'x'), size: 3 }];
    await expect(scenario.saveFrom(agent.client, { savedVersion: version })).rejects.toThrow(AgentMisbehaved);
  });

  it('with more than the 50,000 files it may have', async () => {
    agent.listing.files = Array.from({ length: 50_001 }, (_, n) => entryOf(`${n}`, 'x'));
    await storesNothing();
  });
});

describe.each([
  ['small', 100],
  ['large', MiB],
])('a %s file is never stored under a hash that is not its own', (_size, bytes) => {
  const content = Buffer.alloc(bytes, 'x');
  const lies: [string, () => void][] = [
    ['the hash is another', () => agent.add('a', content, { sha256: sha256('other') })],
    ['the size is smaller', () => agent.add('a', content, { size: bytes - 1 })],
    ['the size is larger', () => agent.add('a', content, { size: bytes + 1 })],
    ['it is empty', () => agent.add('a', content, {}, '')],
    ['one byte is another', () => agent.add('a', content, {}, Buffer.alloc(bytes, 'x').fill('y', bytes - 1))],
    [
      'it has no size',
      () => agent.add('a', content, {}, (response) => void response.write(content, () => response.end())),
    ],
    [
      'it is refused as no file',
      () =>
        agent.add('a', content, {}, (response) => {
          response.writeHead(400).end(JSON.stringify({ code: 'INVALID_PATH', message: 'a link' }));
        }),
    ],
  ];

  it.each(lies)('%s', async (_what, lie) => {
    lie();
    await storesNothing();
  });

  it('nor is more read of it than was said', async () => {
    let sent = 0;
    agent.add('a', content, {}, (response) => {
      response.writeHead(200, { 'content-length': 2 ** 50 });
      const more = () => {
        do sent += bytes;
        while (!response.destroyed && response.write(content));
      };
      response.on('drain', more);
      more();
    });
    expect(await scenario.saveFrom(agent.client)).toMatchObject({ kind: 'saved', uploaded: { bytes } });
    await vi.waitFor(async () => expect(await agent.connections()).toBeLessThanOrEqual(1));
    expect(sent).toBeLessThan(bytes + 8 * MiB);
    const saved = must(await readSavedManifest(scenario.store, scenario.owner));
    expect(saved.manifest.files.get('a')).toEqual({ sha256: sha256(content), size: bytes, mode: 0o644 });
  });

  it('nor waited for longer than the caller does', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    agent.add('a', content, {}, (response) => {
      response.writeHead(200, { 'content-length': bytes }).write('x', () => resolve());
    });
    const stop = new AbortController();
    const saving = scenario.saveFrom(agent.client, { signal: stop.signal });
    void asked.then(() => stop.abort(new Error('enough')));
    await expect(saving).rejects.toThrow('enough');
    expect(await scenario.keys()).toEqual([]);
  });
});

it('files of a size that no workspace has are not read, and the rest is saved', async () => {
  agent.add('a', 'x');
  agent.add('huge', 'x', { sha256: sha256('?'), size: Number.MAX_SAFE_INTEGER });
  agent.add('larger', 'x', { sha256: sha256('!'), size: 1025 * MiB });
  const result = await scenario.saveFrom(agent.client);
  expect(result).toMatchObject({ kind: 'saved', files: 1 });
  expect(result.kind === 'saved' && result.skipped.map(({ path }) => path)).toEqual(['larger', 'huge']);
  expect(agent.requests).toEqual(['GET ', 'GET a']);
});

it('many files are only saved as far as a workspace could hold them', async () => {
  for (let n = 0; n < 10; n += 1) agent.add(`${n}`, Buffer.alloc(5000, `${n}`));
  const result = await scenario.saveFrom(agent.client, { maxBytes: 3 * 8192 });
  expect(result).toMatchObject({ kind: 'saved', files: 3, uploaded: { blobs: 3 } });
});

it('permission bits are all of a mode that is kept', async () => {
  agent.add('a', 'x', { mode: 0o104755 });
  await scenario.saveFrom(agent.client);
  const saved = must(await readSavedManifest(scenario.store, scenario.owner));
  expect(saved.manifest.files.get('a')?.mode).toBe(0o755);
});

describe('a list that was cut off', () => {
  it('deletes nothing that was saved before, and says so', async () => {
    for (const path of ['listed', 'unlisted', 'folder/unlisted']) agent.add(path, path);
    const version = must(savedVersionOf(await scenario.saveFrom(agent.client)));
    agent.listing = { files: [], skipped: [], truncated: true };
    agent.add('listed', 'changed');
    agent.add('new', 'new');
    const result = await scenario.saveFrom(agent.client, { savedVersion: version });
    expect(result).toMatchObject({ kind: 'saved', files: 4, truncated: true, uploaded: { blobs: 2 } });
    expect(await scenario.savedPaths()).toEqual(['folder/unlisted', 'listed', 'new', 'unlisted']);
    agent.listing.truncated = false;
    await scenario.saveFrom(agent.client, { savedVersion: must(savedVersionOf(result)) });
    expect(await scenario.savedPaths()).toEqual(['listed', 'new']);
  });

  it('leaves out what stands in the way of what it lists', async () => {
    for (const path of ['was-file', 'was-folder/a', 'was-folder/b', 'other']) agent.add(path, path);
    const version = must(savedVersionOf(await scenario.saveFrom(agent.client)));
    agent.listing = { files: [], skipped: [], truncated: true };
    for (const path of ['was-file/now-folder', 'was-folder']) agent.add(path, path);
    await scenario.saveFrom(agent.client, { savedVersion: version });
    expect(await scenario.savedPaths()).toEqual(['other', 'was-file/now-folder', 'was-folder']);
    expect(await scenario.restore(scenario.one)).not.toBeNull();
  });
});

describe('a restore', () => {
  beforeEach(async () => {
    scenario.one.write('small', 'x');
    scenario.one.write('large', Buffer.alloc(MiB));
    await scenario.saved(scenario.one);
  });

  it('passes on what the agent refuses', async () => {
    agent.onWrite = (_request, response) => {
      response.writeHead(507).end(JSON.stringify({ code: 'DISK_FULL', message: 'full' }));
    };
    const failure = await restoreTo(agent).catch((error) => error);
    expect(isBerthError(failure, 'DISK_FULL')).toBe(true);
  });

  it('is not done because the agent says so before it has the files', async () => {
    agent.onWrite = (_request, response) => response.writeHead(204).end();
    await expect(restoreTo(agent)).rejects.toThrow();
  });

  it('ends when the caller waits no longer', async () => {
    const stop = new AbortController();
    agent.onWrite = (request) => {
      request.resume();
      stop.abort(new Error('enough'));
    };
    await expect(restoreTo(agent, stop.signal)).rejects.toThrow('enough');
    await vi.waitFor(async () => expect(await agent.connections()).toBe(0));
  });
});

async function restoreTo({ client }: FakeAgent, signal = soon()): Promise<string | null> {
  return restoreFiles(scenario.store, scenario.owner, client, { signal });
}
