import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { BerthError } from '../../../runtime/contracts/errors.ts';
import type { ContainerId } from '../../../runtime/contracts/ids.ts';
import type { Database } from '../../../runtime/database/database.ts';
import type { RunningLimits } from '../../../runtime/database/workspaces.ts';
import { MemoryActivityStore } from '../../../runtime/state/memory/memory-activity-store.ts';
import { DatabaseDirectory } from '../../../runtime/workspaces/workspace-directory.ts';
import { type DatabaseUnderTest, sqliteUnderTest } from '../../contract/database/database-under-test.ts';
import {
  NO_LIMITS,
  tenant,
  WorkspaceScenario,
  workspace,
} from '../../contract/database/workspace-scenario.ts';
import { must } from '../../support/must.ts';

const forever = new AbortController().signal;
const endpoint = (id: ContainerId, port: number) => ({ kind: 'address' as const, host: id, port });

describe('the directory of workspaces', () => {
  let under: DatabaseUnderTest;
  let database: Database;
  let scenario: WorkspaceScenario;
  let activity: MemoryActivityStore;
  let reads: MockInstance<Database['workspaces']['reads']['get']>;
  let directory: DatabaseDirectory;
  const hinted = vi.fn();
  const prove = vi.fn<(container: ContainerId, host: string) => Promise<void>>();

  beforeEach(async () => {
    under = await sqliteUnderTest();
    database = under.database;
    scenario = new WorkspaceScenario(database);
    activity = new MemoryActivityStore(under.clock);
    activity.onHint(hinted);
    hinted.mockReset();
    prove.mockReset().mockResolvedValue();
    directory = opened();
    reads = vi.spyOn(database.workspaces.reads, 'get');
  });
  afterEach(async () => {
    directory.close();
    vi.useRealTimers();
    await under[Symbol.asyncDispose]();
  });

  function opened(limits: RunningLimits = NO_LIMITS): DatabaseDirectory {
    const backend = { endpoint: async (id: ContainerId, port: number) => endpoint(id, port) };
    return new DatabaseDirectory({ database, backend, activity, limits, prove });
  }
  /** What was hinted has been heard by all. */
  const told = async () => {
    activity.hint();
    await new Promise((resolve) => setImmediate(resolve));
  };

  describe('finds a workspace', () => {
    it('by one read, however many ask within a second', async () => {
      await scenario.settled('RUNNING');
      reads.mockClear();
      const found = await Promise.all(Array.from({ length: 50 }, () => directory.find(workspace())));
      expect(new Set(found.map((row) => row?.observedStatus))).toEqual(new Set(['RUNNING']));
      await directory.find(workspace());
      expect(reads).toHaveBeenCalledTimes(1);
    });

    it('as it is, a second later and after a hint', async () => {
      vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
      await scenario.settled('RUNNING');
      await directory.find(workspace());
      await scenario.observe('STANDBY');
      vi.advanceTimersByTime(999);
      expect((await directory.find(workspace()))?.observedStatus).toBe('RUNNING');
      vi.advanceTimersByTime(1);
      expect((await directory.find(workspace()))?.observedStatus).toBe('STANDBY');
      await scenario.observe('RUNNING');
      await told();
      expect((await directory.find(workspace()))?.observedStatus).toBe('RUNNING');
    });

    it('that there is, and is not deleted', async () => {
      expect(await directory.find(workspace())).toBeUndefined();
      await scenario.made();
      await scenario.begun('DELETING');
      await database.workspaces.reconciler.deleted({ workspace: workspace(), opId: 'op-1' });
      await told();
      expect(await directory.find(workspace())).toBeUndefined();
    });

    it('again after a failure, at once', async () => {
      await scenario.made();
      const away = new BerthError('STORE_UNAVAILABLE', 'away');
      reads.mockRejectedValueOnce(away);
      await expect(directory.find(workspace())).rejects.toBe(away);
      expect(await directory.find(workspace())).toMatchObject({ id: 'one' });
    });
  });

  it('reaches one that runs, at its own container, and none that is seen otherwise or worked on', async () => {
    const row = await scenario.settled('RUNNING');
    expect(await directory.reach(row)).toEqual({
      incarnation: 'engine-id-of-one',
      endpoint: { kind: 'address', host: 'ws-one', port: 8080 },
    });
    expect(await directory.reach({ ...row, observedStatus: 'STANDBY' })).toBeUndefined();
    expect(await directory.reach({ ...row, observedIncarnation: null })).toBeUndefined();
    expect(await directory.reach(await scenario.begun('STOPPING'))).toBeUndefined();
  });

  it('reaches none at an address that is another’s by now, and asks again only after a while', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const row = await scenario.settled('RUNNING');
    const reach = async () => (await directory.reach(row)) !== undefined;
    expect(await Promise.all([reach(), reach(), reach()])).toEqual([true, true, true]);
    prove.mockRejectedValue(new Error('an impostor'));
    expect(await reach()).toBe(true);
    expect(prove.mock.calls).toEqual([['ws-one', 'ws-one']]);
    vi.advanceTimersByTime(1_000);
    expect(await reach()).toBe(false);
    prove.mockResolvedValue();
    expect(await reach()).toBe(true);
    expect(prove).toHaveBeenCalledTimes(3);
  });

  describe('wakes a workspace', () => {
    it('that sleeps: wants it, says so, and waits until it is reached', async () => {
      await scenario.settled('STANDBY');
      const waking = directory.wake(workspace(), forever);
      await vi.waitFor(() => expect(hinted).toHaveBeenCalled());
      expect(await scenario.row()).toMatchObject({ desiredState: 'RUNNING', desiredVersion: 2 });
      await scenario.begun('STARTING');
      await scenario.observe('RUNNING');
      await told();
      expect(await Promise.race([waking, 'waits for the end of the operation'])).toEqual(expect.any(String));
      await database.workspaces.reconciler.finish({ workspace: workspace(), opId: 'op-1' });
      await told();
      expect(await waking).toMatchObject({ incarnation: 'engine-id-of-one' });
    });

    it('that sleeps, also where no hint arrives', async () => {
      await scenario.settled('STANDBY');
      const waking = directory.wake(workspace(), forever);
      await vi.waitFor(async () => expect((await scenario.row()).desiredState).toBe('RUNNING'));
      await scenario.observe('RUNNING');
      expect(await waking).toMatchObject({ incarnation: 'engine-id-of-one' });
    });

    it('that was seen to run, and is not there any more: has it looked at, again and again', async () => {
      await scenario.settled('RUNNING');
      prove.mockRejectedValue(new Error('nobody answers'));
      const waking = directory.wake(workspace(), forever);
      await vi.waitFor(() => expect(hinted.mock.calls.length).toBeGreaterThan(1), 20_000);
      prove.mockResolvedValue();
      expect(await waking).toMatchObject({ incarnation: 'engine-id-of-one' });
    });

    it('that runs, at once and without a word', async () => {
      const { desiredVersion } = await scenario.settled('RUNNING');
      expect(await directory.wake(workspace(), forever)).toMatchObject({ incarnation: 'engine-id-of-one' });
      expect((await scenario.row()).desiredVersion).toBe(desiredVersion);
      await told();
      expect(hinted).toHaveBeenCalledTimes(1);
    });

    it('though it was found asleep a moment ago', async () => {
      await scenario.settled('STANDBY');
      await directory.find(workspace());
      await scenario.observe('RUNNING');
      expect(await directory.wake(workspace(), forever)).toMatchObject({ incarnation: 'engine-id-of-one' });
    });

    it('for whoever still waits', async () => {
      await scenario.settled('STANDBY');
      const reason = new Error('the browser is gone');
      const gone = new AbortController();
      const [left, stays] = [directory.wake(workspace(), gone.signal), directory.wake(workspace(), forever)];
      await vi.waitFor(() => expect(hinted).toHaveBeenCalled());
      gone.abort(reason);
      await expect(left).rejects.toBe(reason);
      await scenario.observe('RUNNING');
      await told();
      expect(await stays).toMatchObject({ incarnation: 'engine-id-of-one' });
    });

    const failure = {
      code: 'IMAGE_PULL_FAILED',
      message: 'there is no such image',
      count: 1,
      terminal: true,
      retrySeconds: 30,
      desiredVersion: 2,
    };
    it.each([
      ['with what it failed with for good', 'IMAGE_PULL_FAILED', 'IMAGE_PULL_FAILED'],
      ['with a code of this version, whatever that was', 'A_CODE_OF_OLD', 'WORKSPACE_UNAVAILABLE'],
      ['with a code, and no name of anything else', 'toString', 'WORKSPACE_UNAVAILABLE'],
    ])('and fails %s', async (_, code, expected) => {
      await scenario.settled('STANDBY');
      const waking = directory.wake(workspace(), forever);
      waking.catch(() => {});
      await vi.waitFor(() => expect(hinted).toHaveBeenCalled());
      await scenario.begun('STARTING');
      const { reconciler } = database.workspaces;
      await reconciler.fail({ workspace: workspace(), opId: 'op-1' }, { ...failure, code });
      await told();
      await expect(waking).rejects.toMatchObject({ code: expected, detail: 'there is no such image' });
      // Whoever comes next is told at once.
      await expect(directory.wake(workspace(), forever)).rejects.toMatchObject({ code: expected });
    });

    it('that fails in passing: goes on waiting', async () => {
      await scenario.settled('STANDBY');
      const waking = directory.wake(workspace(), forever);
      await vi.waitFor(() => expect(hinted).toHaveBeenCalled());
      await scenario.begun('STARTING');
      const { reconciler } = database.workspaces;
      await reconciler.fail({ workspace: workspace(), opId: 'op-1' }, { ...failure, terminal: false });
      await told();
      await scenario.observe('RUNNING');
      await told();
      expect(await waking).toMatchObject({ incarnation: 'engine-id-of-one' });
    });

    it('that is deleted, before and meanwhile: refuses', async () => {
      await expect(directory.wake(workspace(), forever)).rejects.toMatchObject({
        code: 'WORKSPACE_NOT_FOUND',
      });
      await scenario.settled('STANDBY');
      const waking = directory.wake(workspace(), forever);
      waking.catch(() => {});
      await vi.waitFor(() => expect(hinted).toHaveBeenCalled());
      await database.workspaces.api.requestDelete(tenant(), workspace());
      await told();
      await expect(waking).rejects.toMatchObject({ code: 'WORKSPACE_DELETING' });
      await expect(directory.wake(workspace(), forever)).rejects.toMatchObject({
        code: 'WORKSPACE_DELETING',
      });
    });

    it.each([
      [{ all: 10, ofKey: 1 }, 'QUOTA_EXCEEDED', { limit: 1, used: 1 }],
      [{ all: 1, ofKey: 10 }, 'CAPACITY_EXCEEDED', { limit: 1, used: 1, retry_after: 30 }],
    ])('within %o', async (limits, code, fields) => {
      await scenario.settled('RUNNING', { id: workspace('other') });
      await scenario.settled('STANDBY');
      directory.close();
      directory = opened(limits);
      await expect(directory.wake(workspace(), forever)).rejects.toMatchObject({ code, fields });
      expect((await scenario.row()).desiredState).toBe('STANDBY');
      expect(must(await directory.wake(workspace('other'), forever)).incarnation).toBe('engine-id-of-other');
    });
  });

  it('listens to no hints any more once it is closed', async () => {
    await scenario.settled('RUNNING');
    await directory.find(workspace());
    reads.mockClear();
    directory.close();
    await told();
    await directory.find(workspace());
    expect(reads).not.toHaveBeenCalled();
  });
});
