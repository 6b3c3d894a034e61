import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApiKey } from '../../../runtime/access/api-key.ts';
import { parseWorkspaceId, type WorkspaceId } from '../../../runtime/contracts/ids.ts';
import type { RunningLimits } from '../../../runtime/database/workspaces.ts';
import { MemoryActivityStore } from '../../../runtime/state/memory/memory-activity-store.ts';
import { DatabaseDirectory } from '../../../runtime/workspaces/workspace-directory.ts';
import { type NewWorkspaceWords, Workspaces } from '../../../runtime/workspaces/workspaces.ts';
import { type DatabaseUnderTest, sqliteUnderTest } from '../../contract/database/database-under-test.ts';
import {
  NO_LIMITS,
  tenant,
  WorkspaceScenario,
  workspace,
} from '../../contract/database/workspace-scenario.ts';
import { must } from '../../support/must.ts';

const IMAGES = { allowed: ['editor', 'registry.test/team/'], fallback: 'editor:1' };
const MISSING = { code: 'WORKSPACE_NOT_FOUND' };
const key = (change: Partial<ApiKey> = {}): ApiKey => ({
  name: 'key',
  tenant: tenant(),
  sha256: '',
  scope: 'use',
  ...change,
});
const ours = key();
const theirs = key({ tenant: tenant('other') });

describe('workspaces', () => {
  let under: DatabaseUnderTest;
  let scenario: WorkspaceScenario;
  let activity: MemoryActivityStore;
  let directory: DatabaseDirectory;
  let workspaces: Workspaces;
  const hint = vi.fn();

  beforeEach(async () => {
    under = await sqliteUnderTest();
    scenario = new WorkspaceScenario(under.database);
    activity = new MemoryActivityStore(under.clock);
    workspaces = opened(NO_LIMITS);
    hint.mockReset();
  });
  afterEach(async () => {
    directory.close();
    await under[Symbol.asyncDispose]();
  });

  function opened(limits: RunningLimits): Workspaces {
    const { database } = under;
    const backend = { endpoint: () => Promise.reject(new Error('nobody asks')) };
    directory = new DatabaseDirectory({ database, backend, activity, limits, prove: async () => {} });
    return new Workspaces({ database, directory, images: IMAGES, limits, hint });
  }
  const create = (words: Partial<NewWorkspaceWords> = {}, by = ours) =>
    workspaces.create(by, { desiredState: 'RUNNING', ...words });

  describe('are made', () => {
    it('with what the user said, and the rest by default, and somebody is told', async () => {
      const { id, ...row } = await create();
      expect(parseWorkspaceId(id)).toBe(id);
      expect(row).toMatchObject({
        tenant: 'acme',
        keyName: 'key',
        name: null,
        imageRef: 'editor:1',
        standbyTtlSeconds: null,
        archiveTtlSeconds: null,
        desiredState: 'RUNNING',
        observedStatus: 'PENDING',
      });
      expect(hint).toHaveBeenCalledTimes(1);
      const said = {
        id: workspace('notes'),
        name: 'Notes',
        imageRef: 'registry.test/team/editor:2',
        standbyTtlSeconds: 0,
        archiveTtlSeconds: 'never',
        desiredState: 'PENDING',
      } as const;
      expect(await create(said)).toMatchObject(said);
    });

    it('each with an id of its own', async () => {
      const made = await Promise.all(Array.from({ length: 50 }, () => create()));
      expect(new Set(made.map(({ id }) => id)).size).toBe(50);
    });

    it('never twice, whoever had the id, and be it deleted', async () => {
      await create({ id: workspace() }, theirs);
      const exists = { code: 'WORKSPACE_EXISTS' };
      await expect(create({ id: workspace() })).rejects.toMatchObject(exists);
      await expect(create({ id: workspace() }, theirs)).rejects.toMatchObject(exists);
      await scenario.begun('DELETING');
      await under.database.workspaces.reconciler.deleted({ workspace: workspace(), opId: 'op-1' });
      await expect(create({ id: workspace() })).rejects.toMatchObject(exists);
      expect(hint).toHaveBeenCalledTimes(1);
    });

    it.each([
      ['Not An Image', 'INVALID_REQUEST'],
      ['registry.test/others/editor:1', 'FORBIDDEN'],
    ])('of no such image as %s', async (imageRef, code) => {
      await expect(create({ imageRef })).rejects.toMatchObject({ code });
      await create({ id: workspace() });
      await expect(workspaces.change(ours, workspace(), { imageRef })).rejects.toMatchObject({ code });
      expect((await scenario.row()).imageRef).toBe('editor:1');
    });
  });

  describe('are no more than', () => {
    it('a tenant may have, in any state, by whichever key', async () => {
      const limited = key({ limits: { workspaces: 1 } });
      await create({ desiredState: 'PENDING' }, key({ name: 'another' }));
      await expect(create({ desiredState: 'PENDING' }, limited)).rejects.toMatchObject({
        code: 'QUOTA_EXCEEDED',
        fields: { limit: 1, used: 1 },
      });
      await create({}, { ...limited, tenant: tenant('other') });
    });

    it('a key may have running, at its creation and at a word', async () => {
      workspaces = opened({ all: 10, ofKey: 1 });
      await create();
      await expect(create()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
      await create({ id: workspace(), desiredState: 'STANDBY' });
      const wake = workspaces.change(ours, workspace(), { desiredState: 'RUNNING' });
      await expect(wake).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
      await create({}, theirs);
    });

    it('there is room for', async () => {
      workspaces = opened({ all: 1, ofKey: 10 });
      await create();
      await expect(create({}, theirs)).rejects.toMatchObject({
        code: 'CAPACITY_EXCEEDED',
        fields: { limit: 1, used: 1, retry_after: 30 },
      });
    });
  });

  it('of others are not there', async () => {
    await create({ id: workspace() });
    const { tenant: other } = theirs;
    await expect(workspaces.get(other, workspace())).rejects.toMatchObject(MISSING);
    await expect(workspaces.change(theirs, workspace(), { name: 'x' })).rejects.toMatchObject(MISSING);
    await expect(workspaces.change(theirs, workspace(), {})).rejects.toMatchObject(MISSING);
    const wanted = workspaces.change(theirs, workspace(), { desiredState: 'STANDBY' });
    await expect(wanted).rejects.toMatchObject(MISSING);
    await expect(workspaces.retry(other, workspace())).rejects.toMatchObject(MISSING);
    await expect(workspaces.delete(other, workspace())).rejects.toMatchObject(MISSING);
    const following = workspaces.follow(other, workspace(), AbortSignal.timeout(10_000));
    await expect(following.next()).rejects.toMatchObject(MISSING);
    expect(await workspaces.list(other, { limit: 10 })).toEqual([]);
    expect(await scenario.row()).toMatchObject({
      name: null,
      desiredState: 'RUNNING',
      desiredVersion: 1,
      deleteRequestedAt: null,
    });
  });

  it('are listed in pages', async () => {
    for (const name of ['c', 'a', 'b']) await create({ id: workspace(name) });
    await create({ id: workspace('aa') }, theirs);
    const page = async (after?: WorkspaceId) =>
      (await workspaces.list(ours.tenant, { limit: 2, ...(after && { after }) })).map(({ id }) => id);
    expect(await page()).toEqual(['a', 'b']);
    expect(await page(workspace('b'))).toEqual(['c']);
  });

  describe('are changed', () => {
    beforeEach(async () => {
      await create({ id: workspace(), name: 'Old', standbyTtlSeconds: 60 });
      hint.mockReset();
    });

    it('in what is said, and in nothing else', async () => {
      const change = { name: 'New', standbyTtlSeconds: null, archiveTtlSeconds: undefined } as const;
      expect(await workspaces.change(ours, workspace(), change)).toMatchObject({
        name: 'New',
        standbyTtlSeconds: null,
        archiveTtlSeconds: null,
        desiredVersion: 1,
      });
      expect(hint).not.toHaveBeenCalled();
      expect(await workspaces.change(ours, workspace(), {})).toMatchObject({ name: 'New' });
    });

    it('and wanted with the change, and somebody is told', async () => {
      const change = { imageRef: 'editor:2', desiredState: 'STANDBY' } as const;
      expect(await workspaces.change(ours, workspace(), change)).toMatchObject({
        ...change,
        desiredVersion: 2,
      });
      expect(hint).toHaveBeenCalledTimes(1);
    });

    it('no more once they are to be deleted', async () => {
      await workspaces.delete(ours.tenant, workspace());
      expect(hint).toHaveBeenCalledTimes(1);
      const deleting = { code: 'WORKSPACE_DELETING' };
      await expect(workspaces.change(ours, workspace(), { name: 'x' })).rejects.toMatchObject(deleting);
      await expect(workspaces.change(ours, workspace(), { desiredState: 'RUNNING' })).rejects.toMatchObject(
        deleting,
      );
      await expect(workspaces.retry(ours.tenant, workspace())).rejects.toMatchObject(deleting);
      await workspaces.delete(ours.tenant, workspace());
      expect(await workspaces.get(ours.tenant, workspace())).toMatchObject({
        deleteRequestedAt: under.clock.now(),
      });
    });

    it('by a retry, which is a word and leaves what is wanted', async () => {
      expect(await workspaces.retry(ours.tenant, workspace())).toMatchObject({
        desiredState: 'RUNNING',
        desiredVersion: 2,
      });
      expect(hint).toHaveBeenCalledTimes(1);
    });
  });

  describe('are followed', () => {
    const told = async () => {
      activity.hint();
      await new Promise((resolve) => setImmediate(resolve));
    };

    it('from now to their end', async () => {
      await create({ id: workspace() });
      const following = workspaces.follow(ours.tenant, workspace(), AbortSignal.timeout(20_000));
      expect((await following.next()).value).toMatchObject({ observedStatus: 'PENDING' });
      const next = following.next();
      await scenario.observe('STANDBY');
      await told();
      expect((await next).value).toMatchObject({ observedStatus: 'STANDBY' });
      const last = following.next();
      await scenario.begun('DELETING');
      await under.database.workspaces.reconciler.deleted({ workspace: workspace(), opId: 'op-1' });
      await told();
      expect((await last).value).toMatchObject({ deletedAt: under.clock.now() });
      expect((await following.next()).done).toBe(true);
    });

    it('until nobody listens', async () => {
      await create({ id: workspace() });
      const left = new AbortController();
      const following = workspaces.follow(ours.tenant, workspace(), left.signal);
      await following.next();
      const next = following.next();
      left.abort(new Error('nobody listens'));
      await expect(next).rejects.toThrow('nobody listens');
      expect(must(await following.next()).done).toBe(true);
    });
  });
});
