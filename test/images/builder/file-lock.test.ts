import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lock, tryLock } from '../../../images/builder/file-lock.ts';
import { kill, startFixture } from '../../support/fixtures/start-fixture.ts';

describe('a lock on a file', () => {
  let path: string;
  beforeEach(() => {
    path = join(mkdtempSync(join(tmpdir(), 'berth-lock-')), 'lock');
  });
  afterEach(() => rmSync(dirname(path), { recursive: true }));

  it('is had by one process at a time, and by the next when that is killed', async () => {
    const { child } = await startFixture('hold-lock.ts', [path]);
    expect(tryLock(path, 'exclusive')).toBeUndefined();
    expect(tryLock(path, 'shared')).toBeUndefined();
    await kill(child);
    expect(tryLock(path, 'exclusive')).toBeDefined();
  });

  it('is shared by as many as ask, and exclusive only when all have let go', async () => {
    const { child } = await startFixture('hold-lock.ts', [path, 'shared']);
    const mine = tryLock(path, 'shared');
    expect(mine).toBeDefined();
    expect(tryLock(path, 'exclusive')).toBeUndefined();
    mine?.release();
    expect(tryLock(path, 'exclusive')).toBeUndefined();
    await kill(child);
    expect(tryLock(path, 'exclusive')).toBeDefined();
  });

  it('can be waited for', async () => {
    const { child } = await startFixture('hold-lock.ts', [path]);
    let toldOf = 0;
    const waiting = lock(path, () => {
      toldOf++;
      child.kill('SIGKILL');
    });
    (await waiting).release();
    expect(toldOf).toBe(1);
  });
});
