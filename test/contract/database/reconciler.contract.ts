import { describe, expect, it } from 'vitest';
import type { TenantId, WorkspaceId } from '../../../runtime/contracts/ids.ts';
import { NOTHING } from '../../../runtime/database/workspace-row.ts';
import { must } from '../../support/must.ts';
import type { OpenDatabase } from './database-under-test.ts';
import { NO_LIMITS, tenant, WorkspaceScenario, workspace } from './workspace-scenario.ts';

const SILENT = 60;
const FAILURE = {
  code: 'HEALTH_CHECK_FAILED',
  message: 'nobody listens',
  count: 1,
  terminal: false,
  retrySeconds: 30,
  desiredVersion: 1,
};
const name = (opId = 'op-1') => ({ workspace: workspace(), opId });

export function reconcilerContract(open: OpenDatabase): void {
  describe('the census', () => {
    it('counts each tenant by what its users see, and names those in error', async () => {
      const { database } = await open();
      const { api, reads, reconciler } = database.workspaces;
      const scenario = new WorkspaceScenario(database);
      await scenario.settled('RUNNING', { id: workspace('a') });
      await scenario.settled('STANDBY', { id: workspace('b') });
      await scenario.settled('STANDBY', { id: workspace('c') });
      await scenario.settled('RUNNING', { id: workspace('theirs'), tenant: tenant('globex') });
      const broken = workspace('broken');
      await scenario.made({ id: broken, tenant: tenant('globex') });
      await scenario.begun('PROVISIONING', 'op', broken);
      await reconciler.fail({ workspace: broken, opId: 'op' }, { ...FAILURE, terminal: true });
      expect(await reads.census()).toEqual({
        counts: [
          { tenant: 'acme', status: 'RUNNING', count: 1 },
          { tenant: 'acme', status: 'STANDBY', count: 2 },
          { tenant: 'globex', status: 'ERROR', count: 1 },
          { tenant: 'globex', status: 'RUNNING', count: 1 },
        ],
        inError: [{ tenant: 'globex', id: 'broken', code: FAILURE.code, message: FAILURE.message }],
      });
      await api.retry(tenant('globex'), broken);
      expect((await reads.census()).inError).toEqual([]);
    });
  });

  it('names some of each tenant in error, however many another has', async () => {
    const { database } = await open();
    const { reads, reconciler } = database.workspaces;
    const scenario = new WorkspaceScenario(database);
    const fails = async (id: WorkspaceId, of: TenantId) => {
      await scenario.made({ id, tenant: of });
      await scenario.begun('PROVISIONING', 'op', id);
      await reconciler.fail({ workspace: id, opId: 'op' }, { ...FAILURE, terminal: true });
    };
    for (let n = 0; n < 60; n += 1) await fails(workspace(`a-${n}`), tenant());
    await fails(workspace('z'), tenant('globex'));
    const { inError } = await reads.census();
    expect(inError.filter((each) => each.tenant === 'acme')).toHaveLength(50);
    expect(inError.at(-1)).toMatchObject({ tenant: 'globex', id: 'z' });
  });

  describe('what is unsettled', () => {
    it('is what is apart from what is wanted, to be deleted, or under way', async () => {
      const { database } = await open();
      const scenario = new WorkspaceScenario(database);
      await scenario.settled('RUNNING', { id: workspace('fine') });
      await scenario.settled('PENDING', { id: workspace('nothing') });
      await scenario.made({ id: workspace('new') });
      await scenario.settled('STANDBY', { id: workspace('to-delete') });
      await database.workspaces.api.requestDelete(tenant(), workspace('to-delete'));
      await scenario.settled('STANDBY', { id: workspace('busy') });
      await scenario.begun('STARTING', 'op', workspace('busy'));
      expect((await scenario.unsettled()).toSorted()).toEqual(['busy', 'new', 'to-delete']);
    });

    it('waits after a failure, and for a word after the last one', async () => {
      const { database, clock } = await open();
      const { api, reconciler } = database.workspaces;
      const scenario = new WorkspaceScenario(database);
      await scenario.made();
      await scenario.begun('PROVISIONING');
      await reconciler.fail(name(), FAILURE);
      expect(await scenario.unsettled()).toEqual([]);
      clock.advance(30);
      expect(await scenario.unsettled()).toEqual(['one']);
      await scenario.begun('PROVISIONING', 'op-2');
      await reconciler.fail(name('op-2'), { ...FAILURE, count: 2, terminal: true });
      expect((await scenario.row()).error).toEqual({
        code: FAILURE.code,
        message: FAILURE.message,
        count: 2,
        terminal: true,
        at: clock.now(),
        desiredVersion: 1,
        retryAt: null,
      });
      clock.advance(100_000);
      expect(await scenario.unsettled()).toEqual([]);
      await api.retry(tenant(), workspace());
      expect(await scenario.unsettled()).toEqual(['one']);
      await scenario.begun('PROVISIONING', 'op-3');
      await reconciler.fail(name('op-3'), { ...FAILURE, desiredVersion: 2 });
      expect((await scenario.row()).error).toMatchObject({ count: 1, desiredVersion: 2 });
    });

    it('comes with those first that failed least, and no more than asked for', async () => {
      const { database, clock } = await open();
      const { reads, reconciler } = database.workspaces;
      const scenario = new WorkspaceScenario(database);
      for (const id of ['a', 'b', 'c']) await scenario.made({ id: workspace(id) });
      await scenario.begun('PROVISIONING', 'op', workspace('a'));
      await reconciler.fail({ workspace: workspace('a'), opId: 'op' }, FAILURE);
      clock.advance(30);
      expect((await reads.unsettled(2)).map(({ id }) => id)).toEqual(['b', 'c']);
    });
  });

  describe('an operation', () => {
    it('is begun on what still is as it was seen', async () => {
      const { database, clock } = await open();
      const { api, reconciler } = database.workspaces;
      const scenario = new WorkspaceScenario(database);
      const seen = await scenario.settled('STANDBY');
      await api.desire(tenant(), workspace(), 'RUNNING', NO_LIMITS);
      expect(await reconciler.claim(seen, scenario.operation('STARTING', 'op-1'))).toBeUndefined();
      const now = await scenario.row();
      const operation = { ...scenario.operation('STARTING', 'op-1'), incarnation: 'abc' };
      expect(await reconciler.claim(now, operation)).toMatchObject({
        previousStatus: 'STANDBY',
        operation: {
          kind: 'STARTING',
          id: 'op-1',
          owner: 'one',
          incarnation: 'abc',
          startedAt: clock.now(),
          heartbeatAt: clock.now(),
          pendingArchiveKey: null,
        },
      });
      expect(await reconciler.claim(now, scenario.operation('STARTING', 'op-2'))).toBeUndefined();
    });

    it('is begun by one of many', async () => {
      const { database } = await open();
      const scenario = new WorkspaceScenario(database);
      const seen = await scenario.made();
      const claimed = await Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          database.workspaces.reconciler.claim(seen, scenario.operation('PROVISIONING', `op-${at}`)),
        ),
      );
      expect(claimed.filter((row) => row !== undefined)).toHaveLength(1);
    });

    it('is taken over when its heart is silent, and the one before writes nothing any more', async () => {
      const { database, clock } = await open();
      const { reconciler } = database.workspaces;
      const scenario = new WorkspaceScenario(database);
      await scenario.made();
      const begun = await scenario.begun('PROVISIONING');
      clock.advance(SILENT - 1);
      expect(await reconciler.beat(name())).toBe('done');
      clock.advance(SILENT - 1);
      const other = scenario.operation('PROVISIONING', 'op-2', { owner: 'two' });
      expect(await reconciler.takeOver(begun, other, SILENT)).toBeUndefined();
      clock.advance(1);
      expect(await reconciler.takeOver(begun, other, SILENT)).toMatchObject({
        operation: { id: 'op-2', owner: 'two' },
      });
      const before = await scenario.row();
      for (const write of [
        () => reconciler.beat(name()),
        () => reconciler.finish(name()),
        () => reconciler.fail(name(), FAILURE),
        () => reconciler.commitArchive(name()),
        () => reconciler.deleted(name()),
      ])
        expect(await write()).toBe('stale');
      expect(await scenario.row()).toEqual(before);
    });

    it('that is over leaves nothing of itself, nor of errors before', async () => {
      const { database, clock } = await open();
      const { reconciler } = database.workspaces;
      const scenario = new WorkspaceScenario(database);
      await scenario.made();
      await scenario.begun('PROVISIONING');
      await reconciler.fail(name(), FAILURE);
      clock.advance(30);
      await scenario.begun('PROVISIONING', 'op-2');
      expect(await reconciler.finish(name('op-2'))).toBe('done');
      expect(await scenario.row()).toMatchObject({ operation: null, error: null });
      expect(await reconciler.finish(name('op-2'))).toBe('stale');
    });

    it('that fills a volume tells with what, and one that is archived counts no more', async () => {
      const { database } = await open();
      const { reconciler } = database.workspaces;
      const scenario = new WorkspaceScenario(database);
      await scenario.made({ desiredState: 'STANDBY' });
      await scenario.begun('PROVISIONING');
      await scenario.observe('STANDBY');
      await reconciler.fail(name(), { ...FAILURE, retrySeconds: 0 });
      // Half made: as it is wanted by its looks, but not whole.
      expect(await scenario.unsettled()).toEqual(['one']);
      await scenario.begun('PROVISIONING', 'op-2');
      await reconciler.finish(name('op-2'), { homeFrom: NOTHING });
      expect(await scenario.row()).toMatchObject({ homeFrom: NOTHING });
      expect(await scenario.unsettled()).toEqual([]);
      await scenario.begun('ARCHIVING', 'op-3');
      await reconciler.commitArchive(name('op-3'));
      expect(await scenario.row()).toMatchObject({ homeFrom: null, archiveKey: 'archives/one/op-3' });
      await reconciler.fail(name('op-3'), { ...FAILURE, retrySeconds: 0 });
      expect(await scenario.unsettled()).toEqual(['one']);
    });

    it('that stops a container counts as the last access, unless there is a later one', async () => {
      const { database, clock } = await open();
      const { reconciler } = database.workspaces;
      const scenario = new WorkspaceScenario(database);
      await scenario.settled('RUNNING');
      clock.advance(100);
      await scenario.begun('STOPPING');
      await reconciler.finish(name(), { stopped: true });
      expect((await scenario.row()).lastAccessAt).toBe(clock.now());
    });
  });

  describe('an archive', () => {
    const TWO_HOURS = 7200;
    const archiving = async () => {
      const under = await open();
      const scenario = new WorkspaceScenario(under.database);
      await scenario.settled('STANDBY');
      const { reconciler } = under.database.workspaces;
      const unwanted = () => reconciler.unwantedArchives(TWO_HOURS, 10);
      return { ...under, scenario, reconciler, unwanted };
    };

    it('is the workspace’s once it is committed, and unwanted when the next one is', async () => {
      const { scenario, reconciler, clock, unwanted } = await archiving();
      await scenario.begun('ARCHIVING', 'first');
      expect((await scenario.row()).archiveKey).toBeNull();
      expect(await reconciler.commitArchive(name('first'))).toBe('done');
      expect((await scenario.row()).archiveKey).toBe('archives/one/first');
      expect(await reconciler.commitArchive(name('first'))).toBe('stale');
      await reconciler.finish(name('first'));
      await scenario.begun('ARCHIVING', 'second');
      await reconciler.commitArchive(name('second'));
      await reconciler.finish(name('second'));
      clock.advance(TWO_HOURS - 1);
      expect(await unwanted()).toEqual([]);
      clock.advance(1);
      expect(await unwanted()).toEqual(['archives/one/first']);
      await reconciler.forgetArchive('archives/one/first');
      await reconciler.forgetArchive('archives/one/second'); // is wanted
      expect(await unwanted()).toEqual([]);
      expect((await scenario.row()).archiveKey).toBe('archives/one/second');
    });

    it('that came to nothing is unwanted, and the one before stays', async () => {
      const { scenario, reconciler, clock, unwanted } = await archiving();
      await scenario.begun('ARCHIVING', 'good');
      await reconciler.commitArchive(name('good'));
      await reconciler.finish(name('good'));
      await scenario.begun('ARCHIVING', 'failed');
      await reconciler.fail(name('failed'), FAILURE);
      clock.advance(30);
      const begun = await scenario.begun('ARCHIVING', 'silent');
      clock.advance(SILENT);
      await reconciler.takeOver(begun, scenario.operation('ARCHIVING', 'taken'), SILENT);
      clock.advance(TWO_HOURS);
      expect((await unwanted()).toSorted()).toEqual(['archives/one/failed', 'archives/one/silent']);
      expect((await scenario.row()).archiveKey).toBe('archives/one/good');
    });

    it('goes with its workspace', async () => {
      const { scenario, reconciler, database, clock, unwanted } = await archiving();
      await scenario.begun('ARCHIVING', 'kept');
      await reconciler.commitArchive(name('kept'));
      await reconciler.finish(name('kept'));
      await database.workspaces.api.requestDelete(tenant(), workspace());
      await scenario.begun('DELETING', 'end');
      const deletedAt = clock.now();
      expect(await reconciler.deleted(name('end'))).toBe('done');
      expect(await scenario.row()).toMatchObject({ deletedAt, operation: null, archiveKey: null });
      expect(await scenario.unsettled()).toEqual([]);
      expect(await database.workspaces.reads.list(tenant(), { limit: 5 })).toEqual([]);
      clock.advance(TWO_HOURS);
      expect(await unwanted()).toEqual(['archives/one/kept']);
    });
  });

  it('knows nothing of a workspace that is not there', async () => {
    const { database } = await open();
    const scenario = new WorkspaceScenario(database);
    const seen = { ...(await scenario.made()), id: workspace('nobody') };
    const operation = scenario.operation('STARTING', 'op', { id: workspace('nobody') });
    expect(await database.workspaces.reconciler.claim(seen, operation)).toBeUndefined();
    expect(must(await database.workspaces.reads.unsettled(5))).toHaveLength(1);
  });
}
