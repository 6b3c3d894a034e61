import type { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { parseConversationId } from '../../../runtime/contracts/ids.ts';
import { collectBlobs } from '../../../runtime/saving/collect-blobs.ts';
import { purgeSaved } from '../../../runtime/saving/purge-saved.ts';
import { listSavedFiles, readSavedFile } from '../../../runtime/saving/saved-files.ts';
import { blobKey, blobsPrefix, manifestKey } from '../../../runtime/saving/saved-keys.ts';
import { must } from '../../support/must.ts';
import { sha256 } from './fake-agent.ts';
import { SavingScenario, soon } from './saving-scenario.ts';

const HOUR = 60 * 60 * 1000;
const scenario = SavingScenario.use(undefined, 1);

describe('saved files without a container', () => {
  it('are listed as an agent lists them', async () => {
    scenario.one.write('b', 'content', 0o750);
    scenario.one.write('a/c', '');
    const now = Date.parse('2026-03-04T05:06:07.890Z');
    await scenario.save(scenario.one, null, { now });
    expect(await listSavedFiles(scenario.store, scenario.owner)).toEqual({
      files: [
        { path: 'a/c', size: 0, sha256: sha256(''), mode: 0o644, modified_at: '2026-03-04T05:06:07.890Z' },
        {
          path: 'b',
          size: 7,
          sha256: sha256('content'),
          mode: 0o750,
          modified_at: '2026-03-04T05:06:07.890Z',
        },
      ],
      skipped: [],
      truncated: false,
    });
  });

  it('are read', async () => {
    scenario.one.write('small', 'content');
    scenario.one.write('large', Buffer.alloc(3_000_000, 'x'));
    scenario.one.write('empty', '');
    await scenario.saved(scenario.one);
    for (const [path, content] of [
      ['small', 'content'],
      ['large', 'x'.repeat(3_000_000)],
      ['empty', ''],
    ] as const) {
      const found = must(await readSavedFile(scenario.store, scenario.owner, path));
      expect(found.size).toBe(content.length);
      expect(await text(found.content)).toBe(content);
    }
  });

  it.each(['nothing', '', '../manifest.json', 'folder', '__proto__', 'toString'])(
    'have none at %j',
    async (path) => {
      scenario.one.write('folder/a', 'a');
      await scenario.saved(scenario.one);
      expect(await readSavedFile(scenario.store, scenario.owner, path)).toBeUndefined();
    },
  );

  it('are none where nothing is saved', async () => {
    expect(await listSavedFiles(scenario.store, scenario.owner)).toBeUndefined();
    expect(await readSavedFile(scenario.store, scenario.owner, 'a')).toBeUndefined();
  });

  it('never come to an end with other content than was saved', async () => {
    scenario.one.write('a', 'x'.repeat(500_000));
    await scenario.saved(scenario.one);
    const other = Buffer.alloc(500_000, 'x').fill('y', 7, 8);
    await scenario.store.put(blobKey(scenario.owner, sha256('x'.repeat(500_000))), other, {
      size: other.length,
    });
    const found = must(await readSavedFile(scenario.store, scenario.owner, 'a'));
    await expect(buffer(found.content)).rejects.toThrow('is damaged');
  });

  it('may be let go of unread', async () => {
    scenario.one.write('a', 'x'.repeat(500_000));
    await scenario.saved(scenario.one);
    const sources: Readable[] = [];
    scenario.store.answerGet = (_key, found) => {
      if (found !== undefined) sources.push(found.content);
      return found;
    };
    const found = must(await readSavedFile(scenario.store, scenario.owner, 'a'));
    found.content.destroy();
    await vi.waitFor(() => expect(sources.map(({ destroyed }) => destroyed)).toEqual([true, true]));
  });
});

describe('a purge', () => {
  it('takes the manifest, then everything, and nothing of others', async () => {
    scenario.one.write('a', 'a');
    await scenario.saved(scenario.one);
    const before = await scenario.keys();
    const mine = scenario.owner;
    for (const other of [`${mine.conversation}1`, mine.conversation.slice(0, -1), 'x']) {
      scenario.owner = { ...mine, conversation: must(parseConversationId(other)) };
      await scenario.saved(scenario.one);
    }
    await purgeSaved(scenario.store, mine);
    expect(scenario.store.deleted[0]).toBe(manifestKey(mine));
    expect([...scenario.store.deleted].sort()).toEqual([...before].sort());
    expect(await scenario.keys()).toHaveLength(6);
    await purgeSaved(scenario.store, mine);
    expect(await listSavedFiles(scenario.store, mine)).toBeUndefined();
  });

  it('that fails in the middle leaves nothing that looks saved, and can be made again', async () => {
    for (let n = 0; n < 5; n += 1) scenario.one.write(`${n}`, `${n}`);
    await scenario.saved(scenario.one);
    scenario.store.beforeDelete = (keys) => {
      if (keys.some((key) => key.includes('/blobs/'))) throw new Error('away');
    };
    await expect(purgeSaved(scenario.store, scenario.owner)).rejects.toThrow('away');
    expect(await scenario.restore(scenario.one)).toBeNull();
    scenario.store.beforeDelete = () => undefined;
    await purgeSaved(scenario.store, scenario.owner);
    expect(await scenario.keys()).toEqual([]);
  });

  it('of more blobs than go at a time takes them all', async () => {
    const put = async (n: number) =>
      void (await scenario.store.put(blobKey(scenario.owner, sha256(`${n}`)), Buffer.from('x'), { size: 1 }));
    for (let n = 0; n < 1100; n += 50) await Promise.all(Array.from({ length: 50 }, (_, m) => put(n + m)));
    await purgeSaved(scenario.store, scenario.owner);
    expect(await scenario.keys()).toEqual([]);
  });
});

describe('the collection of blobs', () => {
  const collect = (now = Date.now()) => collectBlobs(scenario.store, scenario.owner, { now, signal: soon() });
  const blobs = () => scenario.keys(blobsPrefix(scenario.owner));
  const key = (content: string) => blobKey(scenario.owner, sha256(content));

  /** Two contents, of which the manifest names the second. */
  async function saveTwice(): Promise<string> {
    scenario.one.write('a', 'first');
    const version = await scenario.saved(scenario.one);
    scenario.one.write('a', 'second');
    return scenario.saved(scenario.one, version);
  }

  it('takes what the manifest does not name, a day after it was put', async () => {
    await saveTwice();
    expect(await collect(Date.now() + 23 * HOUR)).toBe(0);
    expect(await blobs()).toHaveLength(2);
    expect(await collect(Date.now() + 25 * HOUR)).toBe(1);
    expect(await blobs()).toEqual([key('second')]);
    expect(await collect(Date.now() + 25 * HOUR)).toBe(0);
    expect(await scenario.restore(scenario.one)).not.toBeNull();
  });

  it('takes what crashed saves left, where no manifest is', async () => {
    scenario.one.write('a', 'a');
    const checkpoint = () => {
      throw new Error('killed');
    };
    await expect(scenario.save(scenario.one, null, { checkpoint })).rejects.toThrow('killed');
    expect(await collect()).toBe(0);
    expect(await collect(Date.now() + 25 * HOUR)).toBe(1);
    expect(await blobs()).toEqual([]);
  });

  it('takes nothing when the manifest can not be read', async () => {
    await saveTwice();
    await scenario.store.put(manifestKey(scenario.owner), Buffer.from('}{'), { size: 2 });
    await expect(collect(Date.now() + 25 * HOUR)).rejects.toThrow();
    expect(await blobs()).toHaveLength(2);
  });

  it.each([
    ['between the list and the manifest', 'get'],
    ['just before a blob goes', 'head'],
  ])('leaves what a save puts again %s', async (_when, moment) => {
    const version = await saveTwice();
    await scenario.store.makeOlder(blobsPrefix(scenario.owner), 25 * HOUR);
    scenario.one.write('a', 'first');
    let saved = false;
    const saveNow = async (asked: string) => {
      if (saved || (moment === 'get') !== (asked === manifestKey(scenario.owner))) return;
      saved = true;
      await scenario.saved(scenario.one, version);
    };
    if (moment === 'get') scenario.store.beforeGet = saveNow;
    else scenario.store.beforeHead = saveNow;
    await collect();
    expect(saved).toBe(true);
    expect(await blobs()).toContain(key('first'));
    scenario.one.renew();
    await scenario.restore(scenario.one);
    expect(scenario.one.tree()).toEqual([['a', '644 first']]);
  });

  it('leaves what a save has put that is not done yet', async () => {
    const version = await saveTwice();
    await scenario.store.makeOlder(blobsPrefix(scenario.owner), 25 * HOUR);
    scenario.one.write('b', 'first');
    let collected = -1;
    const checkpoint = async (name: string) => {
      if (name === 'save.blobs') collected = await collect();
    };
    await scenario.save(scenario.one, version, { checkpoint });
    expect(collected).toBe(0);
    scenario.one.renew();
    await scenario.restore(scenario.one);
    expect(scenario.one.tree()).toHaveLength(2);
  });
});
