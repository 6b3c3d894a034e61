import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { AgentUnreachable } from '../../../runtime/agent-client/agent-failures.ts';
import { SavingScenario } from './saving-scenario.ts';
import { TestContainer } from './test-container.ts';

const LARGE = 20 * 1024 * 1024;
const scenario = SavingScenario.use();

/** Restored into the other container. */
async function restored(): Promise<Record<string, string>> {
  scenario.two.renew();
  await scenario.restore(scenario.two);
  return Object.fromEntries(scenario.two.tree().map(([path, file]) => [path, file.slice('644 '.length)]));
}

describe.each([
  ['small', 10],
  ['large', 300_000],
])('a %s file', (_size, bytes) => {
  const content = (text: string) => text.padEnd(bytes, '.');

  it('that changes before it is read is looked at again', async () => {
    scenario.one.write('file', content('old'));
    scenario.one.write('other', 'other');
    scenario.one.client.beforeRead = (path) => {
      if (scenario.one.client.lists === 1 && path === 'file') scenario.one.write('file', content('new'));
    };
    const result = await scenario.save(scenario.one, null);
    expect(result).toMatchObject({ kind: 'saved', files: 2, skipped: [] });
    expect(scenario.one.client.lists).toBe(2);
    expect(await restored()).toEqual({ file: content('new'), other: 'other' });
    expect(await scenario.keys()).toHaveLength(3); // nothing of what it was before
  });

  it('that is added to all the time is saved as it was listed', async () => {
    scenario.one.write('log', content('line 1\n'));
    scenario.one.client.beforeRead = (path) => appendFileSync(scenario.one.path(path), 'one more line\n');
    expect(await scenario.save(scenario.one, null)).toMatchObject({ kind: 'saved', files: 1, skipped: [] });
    expect(scenario.one.client.lists).toBe(1);
    expect(await restored()).toEqual({ log: content('line 1\n') });
  });

  it('that changes all the time stays as it was saved before', async () => {
    scenario.one.write('file', content('before'));
    const version = await scenario.saved(scenario.one);
    let n = 0;
    const change = () => writeFileSync(scenario.one.path('file'), content(`change ${n++}`));
    change();
    scenario.one.write('other', 'other');
    scenario.one.client.lists = 0;
    scenario.one.client.beforeRead = (path) => path === 'file' && change();
    const result = await scenario.save(scenario.one, version);
    expect(result).toMatchObject({
      kind: 'saved',
      files: 2,
      skipped: [{ path: 'file', reason: 'it kept changing, and is saved as it was before' }],
    });
    expect(scenario.one.client.lists).toBe(3);
    expect(await restored()).toEqual({ file: content('before'), other: 'other' });
  });

  it('that is new and changes all the time is left out', async () => {
    let n = 0;
    const change = () => writeFileSync(scenario.one.path('file'), content(`change ${n++}`));
    change();
    scenario.one.write('other', 'other');
    scenario.one.client.beforeRead = (path) => path === 'file' && change();
    const result = await scenario.save(scenario.one, null);
    expect(result).toMatchObject({ files: 1, skipped: [{ path: 'file', reason: 'it kept changing' }] });
    expect(await restored()).toEqual({ other: 'other' });
    expect(await scenario.keys()).toHaveLength(2);
  });

  it('that was read whole once in this save is saved so, though it changes from then on', async () => {
    const { one } = scenario;
    let n = 0;
    one.write('file', content('whole'));
    one.write('restless', 'restless');
    one.client.beforeList = (list) => list > 1 && one.write('file', content(`list ${n++}`));
    one.client.beforeRead = (path) => {
      if (path === 'restless' || one.client.lists > 1) one.write(path, content(`read ${n++}`));
    };
    const result = await scenario.save(one, null);
    expect(result).toMatchObject({ kind: 'saved', files: 1 });
    expect(await restored()).toEqual({ file: content('whole') });
  });

  it('that vanishes before it is read is left out', async () => {
    scenario.one.write('file', content('x'));
    scenario.one.write('other', 'other');
    scenario.one.client.beforeRead = (path) => path === 'file' && scenario.one.remove('file');
    const result = await scenario.save(scenario.one, null);
    expect(result).toMatchObject({ kind: 'saved', files: 1, skipped: [] });
    expect(scenario.one.client.lists).toBe(1);
    expect(await restored()).toEqual({ other: 'other' });
  });

  it('that vanishes is had from another path with the same content', async () => {
    for (const path of ['a', 'b', 'c']) scenario.one.write(path, content('same'));
    let first: string | undefined;
    scenario.one.client.beforeRead = (path) => {
      first ??= path;
      if (path === first) rmSync(scenario.one.path(path), { force: true });
    };
    expect(await scenario.save(scenario.one, null)).toMatchObject({ kind: 'saved', files: 2 });
    expect(scenario.store.blobPuts).toHaveLength(1);
    expect(await restored()).not.toHaveProperty(first ?? '');
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(path)],
    ['a link that leads out', (path: string) => symlinkSync('/etc/passwd', path)],
    ['a link to nothing', (path: string) => symlinkSync('nothing', path)],
  ])('that becomes %s is left out', async (_what, become) => {
    scenario.one.write('file', content('x'));
    scenario.one.write('other', 'other');
    scenario.one.client.beforeRead = (path) => {
      if (path !== 'file') return;
      scenario.one.remove('file');
      become(scenario.one.path('file'));
    };
    expect(await scenario.save(scenario.one, null)).toMatchObject({ kind: 'saved', files: 1 });
    expect(await restored()).toEqual({ other: 'other' });
  });
});

/** Does something after the first bytes of a file, while the rest is still in the agent. */
async function* meddle(content: Readable, what: () => void): AsyncGenerator<Buffer> {
  let begun = false;
  for await (const chunk of content) {
    if (!begun) {
      begun = true;
      what();
      await setImmediate();
    }
    yield chunk;
  }
}

describe('a file that is being read', () => {
  it('and gets shorter is looked at again', async () => {
    const { one } = scenario;
    one.write('file', Buffer.alloc(LARGE, 'x'));
    one.client.whileRead = (_path, content) =>
      one.client.lists > 1
        ? content
        : Readable.from(
            meddle(content, () => truncateSync(one.path('file'), 5)),
            { objectMode: false },
          );
    expect(await scenario.save(one, null)).toMatchObject({ kind: 'saved', files: 1, skipped: [] });
    expect(one.client.lists).toBe(2);
    expect(await restored()).toEqual({ file: 'xxxxx' });
  });

  it('and gets shorter in every round is left out, and all else is saved', async () => {
    const { one } = scenario;
    let size = LARGE;
    one.write('file', Buffer.alloc(size, 'x'));
    one.write('other', 'other');
    one.client.whileRead = (path, content) =>
      path === 'other'
        ? content
        : Readable.from(
            meddle(content, () => {
              size -= LARGE / 10;
              truncateSync(one.path('file'), size);
            }),
            { objectMode: false },
          );
    const result = await scenario.save(one, null);
    expect(result).toMatchObject({ files: 1, skipped: [{ path: 'file', reason: 'it kept changing' }] });
    expect(await restored()).toEqual({ other: 'other' });
  });

  it('and changes in place is never saved half old and half new', async () => {
    const { one } = scenario;
    one.write('file', Buffer.alloc(LARGE, 'a'));
    one.client.whileRead = (_path, content) =>
      one.client.lists > 1
        ? content
        : Readable.from(
            meddle(content, () => one.write('file', Buffer.alloc(LARGE, 'b'))),
            { objectMode: false },
          );
    await scenario.saved(one);
    expect(new Set((await restored()).file)).toEqual(new Set('b'));
  });
});

describe('an agent that ends in the middle', () => {
  it.each([
    ['of the small files', 100],
    ['of a large file', LARGE],
  ])('%s is told as such, and nothing is saved', async (_what, size) => {
    const dying = await TestContainer.start();
    try {
      for (let n = 0; n < 10; n += 1) dying.write(`file-${n}`, Buffer.alloc(size / 10, `${n}`));
      dying.client.whileRead = (_path, content) =>
        Readable.from(
          meddle(content, () => dying.agent.child.kill('SIGKILL')),
          { objectMode: false },
        );
      await expect(scenario.save(dying, null)).rejects.toThrow(AgentUnreachable);
      expect(scenario.store.manifestPuts).toEqual([]);
    } finally {
      await dying.stop();
    }
  });

  it('in the last round too', async () => {
    const dying = await TestContainer.start();
    try {
      let n = 0;
      dying.write('restless', 'x');
      dying.write('large', Buffer.alloc(LARGE, 'x'));
      dying.client.beforeList = () => dying.write('large', Buffer.alloc(LARGE, `${n++}`));
      dying.client.beforeRead = (path) => {
        if (path === 'restless') dying.write('restless', `${n++}`);
        else if (dying.client.lists < 3) dying.write('large', Buffer.alloc(LARGE, `${n++}`));
      };
      dying.client.whileRead = (path, content) =>
        path === 'large' && dying.client.lists === 3
          ? Readable.from(
              meddle(content, () => dying.agent.child.kill('SIGKILL')),
              { objectMode: false },
            )
          : content;
      await expect(scenario.save(dying, null)).rejects.toThrow(AgentUnreachable);
      expect(dying.client.lists).toBe(3);
      expect(scenario.store.manifestPuts).toEqual([]);
    } finally {
      await dying.stop();
    }
  });
});

describe('what the agent can not look at', () => {
  // Root reads everything, unless that is taken from it.
  const asOthers =
    process.getuid?.() === 0
      ? [
          'setpriv',
          '--bounding-set=-dac_override,-dac_read_search',
          '--inh-caps=-dac_override,-dac_read_search',
        ]
      : [];

  it('keeps what was saved of it, and is told', async () => {
    const container = await TestContainer.start(asOthers);
    try {
      for (const path of ['file', 'folder/a', 'folder/sub/b', 'folder-b', 'gone'])
        container.write(path, path);
      const version = await scenario.saved(container);
      container.remove('gone');
      container.write('file', 'changed', 0o000);
      rmSync(container.path('folder/sub/b'));
      chmodSync(container.path('folder'), 0o000);
      const result = await scenario.save(container, version);
      expect(result).toMatchObject({ kind: 'saved', files: 4 });
      expect(result.kind === 'saved' && result.skipped.map(({ path }) => path).sort()).toEqual([
        'file',
        'folder',
      ]);
      expect(await scenario.savedPaths()).toEqual(['file', 'folder-b', 'folder/a', 'folder/sub/b']);
      expect(await restored()).toMatchObject({ file: 'file', 'folder/a': 'folder/a' });
      chmodSync(container.path('folder'), 0o700);
      expect(await scenario.save(container, null)).toMatchObject({ kind: 'saved', files: 3 });
      expect(await scenario.savedPaths()).toEqual(['file', 'folder-b', 'folder/a']);
    } finally {
      await container.stop();
    }
  });
});
