import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BerthError } from '../../../runtime/contracts/errors.ts';
import { ArchiveCollector, UNWANTED_SECONDS } from '../../../runtime/workspaces/archive-collector.ts';
import { metaKey } from '../../../runtime/workspaces/archive-key.ts';
import { type DatabaseUnderTest, sqliteUnderTest } from '../../contract/database/database-under-test.ts';
import { tenant, WorkspaceScenario, workspace } from '../../contract/database/workspace-scenario.ts';
import { keysOf, putText } from '../../contract/object-store/contents.ts';
import { directoryUnderTest, type StoreUnderTest } from '../../contract/object-store/store-under-test.ts';
import { must } from '../../support/must.ts';

describe('archives that nobody needs', () => {
  let under: DatabaseUnderTest;
  let objects: StoreUnderTest;
  let scenario: WorkspaceScenario;
  beforeEach(async () => {
    under = await sqliteUnderTest();
    objects = await directoryUnderTest();
    scenario = new WorkspaceScenario(under.database);
  });
  afterEach(async () => {
    await under[Symbol.asyncDispose]();
    await objects[Symbol.asyncDispose]();
  });

  const collect = (store: Pick<StoreUnderTest['store'], 'delete'> = objects.store) =>
    new ArchiveCollector({
      database: under.database,
      objects: store,
      log: pino({ level: 'silent' }),
    }).runOnce();

  /** Archives the home, up to where it is the workspace's; the volume is there again afterwards. */
  async function archived(opId: string, commit = true): Promise<string> {
    const { reconciler } = under.database.workspaces;
    const row = await scenario.begun('ARCHIVING', opId);
    const key = must(row.operation?.pendingArchiveKey ?? undefined);
    await putText(objects.store, key, 'content');
    if (commit) {
      await putText(objects.store, metaKey(key), 'sha256:…');
      await reconciler.commitArchive({ workspace: workspace(), opId });
    }
    await reconciler.finish({ workspace: workspace(), opId }, { homeFrom: key });
    return key;
  }

  it('go two hours after another took their place, with their hash, and the other stays', async () => {
    await scenario.settled('STANDBY');
    const first = await archived('op-1');
    under.clock.advance(10 * UNWANTED_SECONDS);
    expect(await collect()).toBe(0);
    const second = await archived('op-2');
    under.clock.advance(UNWANTED_SECONDS - 1);
    expect(await collect()).toBe(0);
    expect(await keysOf(objects.store)).toEqual([first, metaKey(first), second, metaKey(second)]);
    under.clock.advance(1);
    expect(await collect()).toBe(1);
    expect(await keysOf(objects.store)).toEqual([second, metaKey(second)]);
    expect(await collect()).toBe(0);
  });

  it('go when they were given up, by their exact keys', async () => {
    await scenario.settled('STANDBY');
    const given = await archived('op-1', false);
    await putText(objects.store, `${given}-of-another`, 'kept');
    under.clock.advance(UNWANTED_SECONDS);
    expect(await collect()).toBe(1);
    expect(await keysOf(objects.store)).toEqual([`${given}-of-another`]);
  });

  it('go, all of them, when their workspace is deleted', async () => {
    await scenario.settled('STANDBY');
    await archived('op-1');
    await archived('op-2', false);
    await under.database.workspaces.api.requestDelete(tenant(), workspace());
    await scenario.begun('DELETING', 'op-3');
    await under.database.workspaces.reconciler.deleted({ workspace: workspace(), opId: 'op-3' });
    under.clock.advance(UNWANTED_SECONDS);
    expect(await collect()).toBe(2);
    expect(await keysOf(objects.store)).toEqual([]);
  });

  it('go in as many turns as it takes', async () => {
    await scenario.settled('STANDBY');
    for (let at = 0; at < 101; at++) await archived(`op-${at + 1}`, false);
    under.clock.advance(UNWANTED_SECONDS);
    expect(await collect()).toBe(101);
    expect(await keysOf(objects.store)).toEqual([]);
  });

  it('are tried again when the store fails, and are no archives any more before they are gone', async () => {
    await scenario.settled('STANDBY');
    const first = await archived('op-1');
    await archived('op-2');
    under.clock.advance(UNWANTED_SECONDS);
    const away = new BerthError('STORE_UNAVAILABLE', 'away');
    const failing = {
      delete: (keys: readonly string[]) =>
        keys.includes(first) ? Promise.reject(away) : objects.store.delete(keys),
    };
    await expect(collect(failing)).rejects.toBe(away);
    expect(await keysOf(objects.store, first)).toEqual([first]);
    expect(await collect()).toBe(1);
    expect(await keysOf(objects.store, first)).toEqual([]);
  });
});
