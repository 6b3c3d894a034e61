import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, expect, it, vi } from 'vitest';
import { BerthError, isBerthError } from '../../../runtime/contracts/errors.ts';
import { blobKey, manifestKey } from '../../../runtime/saving/saved-keys.ts';
import { FakeAgent, sha256 } from './fake-agent.ts';
import { SavingScenario } from './saving-scenario.ts';

const scenario = SavingScenario.use();
const away = () => new BerthError('STORE_UNAVAILABLE', 'away');

function fillOne(files: number, bytes: number): void {
  for (let n = 0; n < files; n += 1) scenario.one.write(`file-${n}`, randomBytes(bytes));
}

describe.each([
  ['small', 500],
  ['large', 400_000],
])('a save of %s files', (_size, bytes) => {
  it('that fails in the middle changes nothing, leaves nothing going on, and can be made again', async () => {
    scenario.one.write('before', 'before');
    const version = await scenario.saved(scenario.one);
    fillOne(30, bytes);
    scenario.store.beforePut = () => {
      if (scenario.store.blobPuts.length > 12) throw away();
    };
    const failure = await scenario.save(scenario.one, version).catch((error) => error);
    expect(isBerthError(failure, 'STORE_UNAVAILABLE')).toBe(true);
    expect(scenario.store.underWay).toBe(0);
    const puts = scenario.store.puts.length;
    expect(puts).toBeLessThan(20);
    expect(scenario.store.manifestPuts).toHaveLength(1);
    expect(await scenario.savedPaths()).toEqual(['before']);
    scenario.store.beforePut = () => undefined;
    expect(await scenario.save(scenario.one, version)).toMatchObject({ kind: 'saved', files: 31 });
    await scenario.restore(scenario.two);
    expect(scenario.two.tree()).toEqual(scenario.one.tree());
  });

  it('that is aborted ends so, without a manifest', async () => {
    fillOne(30, bytes);
    const stop = new AbortController();
    scenario.store.beforePut = () => {
      if (scenario.store.blobPuts.length === 12) stop.abort(new Error('enough'));
    };
    await expect(scenario.save(scenario.one, null, { signal: stop.signal })).rejects.toThrow('enough');
    expect(scenario.store.underWay).toBe(0);
    expect(scenario.store.manifestPuts).toEqual([]);
  });

  it('has at most five under way, and five where it can', async () => {
    fillOne(30, bytes);
    const { promise: five, resolve } = Promise.withResolvers<void>();
    scenario.store.beforePut = (key) => {
      if (scenario.store.underWay >= 5) resolve();
      return key.includes('/blobs/') ? five : undefined; // a slow store
    };
    await scenario.saved(scenario.one);
    expect(scenario.store.most).toBe(5);
  });
});

it('a manifest that may have been written is found by the next save', async () => {
  scenario.one.write('a', '1');
  const version = await scenario.saved(scenario.one);
  scenario.one.write('a', '2');
  scenario.store.answerPut = (key, stored) => {
    if (key === manifestKey(scenario.owner)) throw away();
    return stored;
  };
  await expect(scenario.save(scenario.one, version)).rejects.toThrow('away');
  scenario.store.answerPut = (_key, stored) => stored;
  const again = await scenario.save(scenario.one, version);
  expect(again).toMatchObject({ kind: 'unchanged', files: 1 });
  expect(again.kind === 'unchanged' && again.version).not.toBe(version);
});

it('a store that fails in the middle of a file is told as such', async () => {
  fillOne(1, 400_000);
  scenario.store.beforePut = async (_key, content) => {
    if (!(content instanceof Readable)) return;
    await once(content, 'readable');
    content.read();
    content.destroy(new Error('premature close'));
    throw away();
  };
  const failure = await scenario.save(scenario.one, null).catch((error) => error);
  expect(isBerthError(failure, 'STORE_UNAVAILABLE')).toBe(true);
});

it('a store that never reads costs no connection to the agent', async () => {
  const agent = await FakeAgent.start();
  try {
    for (let n = 0; n < 10; n += 1) agent.add(`${n}`, Buffer.alloc(400_000, `${n}`));
    scenario.store.beforePut = () => {
      throw away();
    };
    for (let n = 0; n < 5; n += 1) {
      await expect(scenario.saveFrom(agent.client)).rejects.toThrow('away');
    }
    // The one of the list may stay.
    await vi.waitFor(async () => expect(await agent.connections()).toBeLessThanOrEqual(1));
  } finally {
    agent.stop();
  }
});

describe.each([
  ['small', 'x'.repeat(500)],
  ['large', 'x'.repeat(400_000)],
])('a restore of a %s file', (_size, content) => {
  const key = () => blobKey(scenario.owner, sha256(content));
  const isDamaged = async () => {
    const failure = await scenario.restore(scenario.two).catch((error) => error);
    expect(isBerthError(failure, 'INTERNAL')).toBe(true);
    expect(failure.detail).toContain('the saved content of "folder/file" is damaged');
    // The agent may be clearing away what it had of it.
    await vi.waitFor(() => {
      expect(scenario.two.tree().map(([path]) => path)).not.toContain('folder/file');
    });
  };

  it('fails when its content is missing', async () => {
    scenario.one.write('folder/file', content);
    await scenario.saved(scenario.one);
    await scenario.store.delete([key()]);
    await isDamaged();
  });

  it.each([
    ['another', content.replace(/.$/, 'y')],
    ['shorter', content.slice(1)],
    ['longer', `${content}x`],
    ['nothing', ''],
  ])('fails when its content is %s', async (_what, other) => {
    scenario.one.write('folder/file', content);
    await scenario.saved(scenario.one);
    await scenario.store.put(key(), Buffer.from(other), { size: other.length });
    await isDamaged();
  });

  it('fails as the store does in the middle of it', async () => {
    scenario.one.write('folder/file', content);
    await scenario.saved(scenario.one);
    scenario.store.answerGet = (asked, found) =>
      found && asked === key() ? { ...found, content: breaking(found.content) } : found;
    const failure = await scenario.restore(scenario.two).catch((error) => error);
    expect(isBerthError(failure, 'STORE_UNAVAILABLE')).toBe(true);
    expect(scenario.two.tree()).toEqual([]);
  });
});

function breaking(content: Readable): Readable {
  return Readable.from(
    (async function* () {
      for await (const chunk of content) {
        yield chunk.subarray(0, chunk.length / 2);
        throw away();
      }
    })(),
    { objectMode: false },
  );
}

describe('a restore', () => {
  it('that fails in the middle leaves nothing going on', async () => {
    fillOne(30, 500);
    await scenario.saved(scenario.one);
    let gets = 0;
    scenario.store.beforeGet = () => {
      gets += 1;
      if (gets > 12) throw away();
    };
    await expect(scenario.restore(scenario.two)).rejects.toThrow('away');
    expect(scenario.store.underWay).toBe(0);
    const files = scenario.two.tree().length;
    expect(files).toBeGreaterThan(0);
    expect(files).toBeLessThan(12);
    expect(gets).toBeLessThan(20);
  });

  it('has at most five under way, and five where it can', async () => {
    fillOne(30, 500);
    await scenario.saved(scenario.one);
    const { promise: five, resolve } = Promise.withResolvers<void>();
    scenario.store.most = 0;
    scenario.store.beforeGet = (key) => {
      if (scenario.store.underWay >= 5) resolve();
      return key.includes('/blobs/') ? five : undefined;
    };
    await scenario.restore(scenario.two);
    expect(scenario.store.most).toBe(5);
    expect(scenario.two.tree()).toEqual(scenario.one.tree());
  });
});
