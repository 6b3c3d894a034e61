import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DirectoryObjectStore } from '../../../runtime/objects/directory/directory-object-store.ts';
import { keysOf, MIB, never, putText, streamThen, text } from '../../contract/object-store/contents.ts';
import { must } from '../../support/must.ts';

let folder: string;
let root: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'berth-objects-'));
  root = join(folder, 'objects');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const partials = () => readdirSync(join(root, 'partial'));
const everything = () => readdirSync(root, { recursive: true, encoding: 'utf8' });
const kept = () => everything().filter((path) => path.startsWith('kept/'));

describe('the directory of objects', () => {
  it('is for its owner only, and so is all that is in it', async () => {
    const store = await DirectoryObjectStore.open(root);
    await putText(store, 'a/b', 'x');
    const modes = ['.', ...everything()].map((path) => statSync(join(root, path)));
    expect(modes.map((stats) => (stats.mode & 0o777).toString(8)).sort()).toEqual([
      '600',
      ...['700', '700', '700', '700'],
    ]);
  });

  it('keeps objects, with their versions, for the next one to open it', async () => {
    const first = await DirectoryObjectStore.open(root);
    const version = await putText(first, 'a/b', 'kept');
    await first.close();
    const second = await DirectoryObjectStore.open(root);
    expect(await text(second, 'a/b')).toBe('kept');
    expect((await second.head('a/b'))?.version).toBe(version);
    expect(await second.put('a/b', Buffer.from('2'), { size: 1, condition: { version } })).not.toBe(
      'conflict',
    );
  });

  it('gives equal content another version at each write', async () => {
    const store = await DirectoryObjectStore.open(root);
    expect(await putText(store, 'k', 'same')).not.toBe(await putText(store, 'k', 'same'));
  });

  it('is rid of folders that hold no object any more', async () => {
    const store = await DirectoryObjectStore.open(root);
    for (const key of ['a/b/c/d', 'a/b/e', `${'x'.repeat(300)}/y`]) await putText(store, key, 'x');
    await store.delete(['a/b/c/d', `${'x'.repeat(300)}/y`]);
    expect(kept()).toEqual(['kept/a,', 'kept/a,/b,', 'kept/a,/b,/e!']);
    await store.delete(['a/b/e']);
    expect(kept()).toEqual([]);
  });

  it('puts an object into a folder that goes at the same moment', async () => {
    const store = await DirectoryObjectStore.open(root);
    const putAndDelete = async (key: string) => {
      for (let round = 0; round < 40; round++) {
        await putText(store, key, 'x');
        await store.delete([key]);
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, n) => putAndDelete(`${'deeper/'.repeat(20)}${n}`)));
    expect(kept()).toEqual([]);
  });

  it('has nothing of a put that failed', async () => {
    const store = await DirectoryObjectStore.open(root);
    await expect(store.put('k', Buffer.from('12'), { size: 3 })).rejects.toThrow();
    await putText(store, 'k', 'x');
    expect(await store.put('k', Buffer.from('1'), { size: 1, condition: { absent: true } })).toBe('conflict');
    expect(partials()).toEqual([]);
  });

  it('shows what is not an object to nobody, and follows no link', async () => {
    const store = await DirectoryObjectStore.open(root);
    await putText(store, 'a/b', 'x');
    writeFileSync(join(folder, 'outside'), `berth-object 1 ${'0'.repeat(32)}\nsecret`);
    symlinkSync(join(folder, 'outside'), join(root, 'kept', 'link!'));
    symlinkSync(folder, join(root, 'kept', 'links,'));
    writeFileSync(join(root, 'kept', 'lost+found'), '');
    writeFileSync(join(root, 'kept', 'foreign!'), 'short');
    expect(await keysOf(store)).toEqual(['a/b', 'foreign']);
    await expect(store.get('link')).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(store.get('foreign')).rejects.toMatchObject({
      code: 'INTERNAL',
      detail: expect.stringContaining('does not begin as an object does'),
    });
  });

  it('that is a link is not opened', async () => {
    symlinkSync(folder, root);
    await expect(DirectoryObjectStore.open(root)).rejects.toMatchObject({ code: 'INTERNAL' });
  });

  it('that is gone is an outage, and not a store without objects', async () => {
    const store = await DirectoryObjectStore.open(root);
    await putText(store, 'a/b', 'x');
    rmSync(root, { recursive: true });
    const away = { code: 'STORE_UNAVAILABLE', detail: expect.stringMatching(/object store/) };
    await expect(store.get('a/b')).rejects.toMatchObject(away);
    await expect(store.head('a/b')).rejects.toMatchObject(away);
    await expect(keysOf(store)).rejects.toMatchObject(away);
    await expect(store.delete(['a/b'])).rejects.toMatchObject(away);
    await expect(putText(store, 'a/b', 'x')).rejects.toMatchObject(away);
    await expect(store.ping()).rejects.toMatchObject(away);
    expect(existsSync(root)).toBe(false);
  });

  it('waits for puts under way when it closes, and they leave nothing', async () => {
    const store = await DirectoryObjectStore.open(root);
    const put = store.put('k', streamThen(MIB, never), { size: 2 * MIB });
    put.catch(() => {});
    await vi.waitFor(() => expect(partials()).toHaveLength(1));
    await store.close();
    expect(partials()).toEqual([]);
    await expect(put).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});

const adapter = new URL('../../../runtime/objects/directory/directory-object-store.ts', import.meta.url).href;
const contents = new URL('../../contract/object-store/contents.ts', import.meta.url).href;

/** Runs the code beside a `store` in `process.argv[1]`, in a process of its own. */
function inProcess(code: string, wrap: string[] = []): ChildProcess {
  const script = `
    const { DirectoryObjectStore } = await import('${adapter}');
    const { streamOf, streamThen, putText, text, keysOf, never } = await import('${contents}');
    const store = await DirectoryObjectStore.open(process.argv[1]);
    const say = (value) => console.log(JSON.stringify(value));
    ${code}`;
  const args = [...wrap, process.execPath, '--input-type=module', '--eval', script, root];
  const [program, ...rest] = args;
  return spawn(must(program), rest, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_NO_WARNINGS: '1' },
  });
}

async function firstLine(child: ChildProcess): Promise<unknown> {
  for await (const line of createInterface({ input: must(child.stdout) })) return JSON.parse(line);
  throw new Error('It said nothing.');
}

describe('a process that is killed', () => {
  it('in the middle of a put leaves the old object, and remains that the next opening removes', async () => {
    const child = inProcess(`
      await putText(store, 'k', 'old');
      const killed = () => { say('written'); setInterval(() => {}, 1000); return never(); };
      await store.put('k', streamThen(1000000, killed), { size: 1000001 });`);
    expect(await firstLine(child)).toBe('written');
    await vi.waitFor(() =>
      expect(statSync(join(root, 'partial', must(partials()[0]))).size).toBeGreaterThan(500_000),
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(partials()).toHaveLength(1);

    const store = await DirectoryObjectStore.open(root);
    expect(partials()).toEqual([]);
    expect(await text(store, 'k')).toBe('old');
    expect(await keysOf(store)).toEqual(['k']);
  });
});

describe('a full disk', () => {
  it('is told as such, and leaves the old object and no remains of the new', async () => {
    const small = 'mkdir "$0" && mount -t tmpfs -o size=1m none "$0" && exec "$@"';
    const wrap = ['unshare', '--map-root-user', '--mount', 'sh', '-c', small, root];
    const child = inProcess(
      `
      const { readdirSync } = await import('node:fs');
      await putText(store, 'k', 'old');
      const codes = [];
      for (const content of [streamOf(3000000), Buffer.alloc(3000000)]) {
        codes.push(await store.put('k', content, { size: 3000000 }).then(() => 'stored', (error) => error.code));
      }
      const old = await text(store, 'k');
      const partial = readdirSync(process.argv[1] + '/partial');
      const after = await putText(store, 'k', 'new').then(() => 'stored');
      say({ codes, old, partial, after });`,
      wrap,
    );
    expect(await firstLine(child)).toEqual({
      codes: ['DISK_FULL', 'DISK_FULL'],
      old: 'old',
      partial: [],
      after: 'stored',
    });
  });
});
