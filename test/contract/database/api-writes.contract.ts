import { describe, expect, it } from 'vitest';
import type { OpenDatabase } from './database-under-test.ts';
import { NO_LIMITS, tenant, WorkspaceScenario, workspace } from './workspace-scenario.ts';

export function apiWritesContract(open: OpenDatabase): void {
  it('makes a workspace, of which nothing is there yet', async () => {
    const { database, clock } = await open();
    const scenario = new WorkspaceScenario(database);
    const made = await scenario.made({ name: 'Mine', standbyTtlSeconds: 90, archiveTtlSeconds: 'never' });
    expect(made).toEqual({
      id: 'one',
      tenant: 'acme',
      keyName: 'key',
      createdAt: clock.now(),
      name: 'Mine',
      imageRef: 'editor:1',
      standbyTtlSeconds: 90,
      archiveTtlSeconds: 'never',
      deleteRequestedAt: null,
      desiredState: 'RUNNING',
      desiredVersion: 1,
      restedVersion: null,
      observedStatus: 'PENDING',
      observedAt: null,
      observedIncarnation: null,
      lastAccessAt: clock.now(),
      operation: null,
      previousStatus: null,
      archiveKey: null,
      homeFrom: null,
      error: null,
      deletedAt: null,
    });
    expect(await scenario.row()).toEqual(made);
  });

  it('never makes one twice, whoever asks, and be it deleted', async () => {
    const { database } = await open();
    const { api, reconciler } = database.workspaces;
    const scenario = new WorkspaceScenario(database);
    await scenario.made();
    const again = scenario.wanted({ tenant: tenant('other') });
    expect(await api.create(again, NO_LIMITS)).toEqual({ kind: 'exists' });
    await api.requestDelete(tenant(), workspace());
    await scenario.begun('DELETING');
    await reconciler.deleted({ workspace: workspace(), opId: 'op-1' });
    expect(await api.create(again, NO_LIMITS)).toEqual({ kind: 'exists' });
  });

  it('of many that make the same one, lets one', async () => {
    const { database } = await open();
    const scenario = new WorkspaceScenario(database);
    const asked = Array.from({ length: 10 }, () =>
      database.workspaces.api.create(scenario.wanted(), NO_LIMITS),
    );
    const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'done')).toHaveLength(1);
    expect(kinds.filter((kind) => kind === 'exists')).toHaveLength(9);
  });

  describe('limits', () => {
    it('those that run, in all and by key, also when many ask at once', async () => {
      const { database } = await open();
      const scenario = new WorkspaceScenario(database);
      const limits = { all: 5, ofKey: 3 };
      const asked = ['a', 'b'].flatMap((keyName) =>
        Array.from({ length: 6 }, (_, at) =>
          database.workspaces.api.create(
            scenario.wanted({ keyName, id: workspace(`${keyName}-${at}`) }),
            limits,
          ),
        ),
      );
      const results = await Promise.all(asked);
      expect(results.filter(({ kind }) => kind === 'done')).toHaveLength(5);
      expect(results).toContainEqual({ kind: 'over-quota', limit: 3, used: 3 });
      expect(results).toContainEqual({ kind: 'no-room', limit: 5, used: 5 });
    });

    it('those of a key, and not of one that another tenant calls the same', async () => {
      const { database } = await open();
      const { api, proxy } = database.workspaces;
      const scenario = new WorkspaceScenario(database);
      const limits = { all: 10, ofKey: 1 };
      await scenario.made({ tenant: tenant('other'), id: workspace('theirs') });
      expect(await api.create(scenario.wanted(), limits)).toMatchObject({ kind: 'done' });
      for (const say of [
        () => api.desire(tenant(), workspace(), 'RUNNING', limits),
        () => proxy.wake(workspace(), limits),
      ]) {
        await api.desire(tenant(), workspace(), 'STANDBY', limits);
        expect(await say()).toMatchObject({ kind: 'done' });
      }
    });

    it('count what is wanted, at a word and at a wake too; one that is wanted already is none more', async () => {
      const { database } = await open();
      const { api, proxy } = database.workspaces;
      const scenario = new WorkspaceScenario(database);
      const limits = { all: 10, ofKey: 1 };
      await scenario.made();
      await scenario.made({ id: workspace('two'), desiredState: 'STANDBY' });
      const refused = { kind: 'over-quota', limit: 1, used: 1 };
      expect(await api.desire(tenant(), workspace('two'), 'RUNNING', limits)).toEqual(refused);
      expect(await proxy.wake(workspace('two'), limits)).toEqual(refused);
      expect(await api.desire(tenant(), workspace(), 'RUNNING', limits)).toMatchObject({ kind: 'done' });
      await api.desire(tenant(), workspace(), 'STANDBY', limits);
      expect(await proxy.wake(workspace('two'), limits)).toMatchObject({ kind: 'done' });
    });

    it('a tenant’s workspaces in all', async () => {
      const { database } = await open();
      const scenario = new WorkspaceScenario(database);
      const limits = { ...NO_LIMITS, ofTenant: 1 };
      await scenario.made({ desiredState: 'PENDING' });
      const { api } = database.workspaces;
      const more = scenario.wanted({ id: workspace('two'), desiredState: 'PENDING' });
      expect(await api.create(more, limits)).toEqual({ kind: 'over-quota', limit: 1, used: 1 });
      expect(await api.create({ ...more, tenant: tenant('other') }, limits)).toMatchObject({ kind: 'done' });
    });
  });

  it('changes what it is asked to, and nothing else', async () => {
    const { database } = await open();
    const { api } = database.workspaces;
    const scenario = new WorkspaceScenario(database);
    const made = await scenario.made({ name: 'Old', archiveTtlSeconds: 100 });
    const change = { name: 'New', archiveTtlSeconds: 'never' } as const;
    expect(await api.change(tenant(), workspace(), change)).toEqual({
      kind: 'done',
      row: { ...made, ...change },
    });
    const back = { name: null, archiveTtlSeconds: null, standbyTtlSeconds: 60, imageRef: 'editor:2' };
    expect(await api.change(tenant(), workspace(), back)).toEqual({
      kind: 'done',
      row: { ...made, ...back },
    });
    expect(await api.change(tenant(), workspace(), {})).toEqual({ kind: 'done', row: { ...made, ...back } });
  });

  it('hears every word, the same one too', async () => {
    const { database, clock } = await open();
    const { api } = database.workspaces;
    await new WorkspaceScenario(database).made();
    for (const [version, state] of [
      [2, 'RUNNING'],
      [3, 'STANDBY'],
      [4, 'PENDING'],
    ] as const) {
      clock.advance(1);
      expect(await api.desire(tenant(), workspace(), state, NO_LIMITS)).toMatchObject({
        row: { desiredState: state, desiredVersion: version, lastAccessAt: clock.now() },
      });
    }
    clock.advance(1);
    expect(await api.retry(tenant(), workspace())).toMatchObject({
      row: { desiredState: 'PENDING', desiredVersion: 5, lastAccessAt: clock.now() },
    });
  });

  it('asked to delete, hears nothing else any more', async () => {
    const { database, clock } = await open();
    const { api, proxy } = database.workspaces;
    await new WorkspaceScenario(database).made();
    const asked = clock.now();
    expect(await api.requestDelete(tenant(), workspace())).toMatchObject({
      row: { deleteRequestedAt: asked },
    });
    clock.advance(9);
    expect(await api.requestDelete(tenant(), workspace())).toMatchObject({
      row: { deleteRequestedAt: asked, desiredVersion: 3 },
    });
    const refused = { kind: 'deleting' };
    expect(await api.desire(tenant(), workspace(), 'RUNNING', NO_LIMITS)).toEqual(refused);
    expect(await api.change(tenant(), workspace(), { name: 'x' })).toEqual(refused);
    expect(await api.retry(tenant(), workspace())).toEqual(refused);
    expect(await proxy.wake(workspace(), NO_LIMITS)).toEqual(refused);
  });

  it('does not know another tenant’s', async () => {
    const { database } = await open();
    const { api, reads } = database.workspaces;
    const scenario = new WorkspaceScenario(database);
    const made = await scenario.made();
    const stranger = tenant('other');
    const missing = { kind: 'missing' };
    expect(await api.desire(stranger, workspace(), 'STANDBY', NO_LIMITS)).toEqual(missing);
    expect(await api.change(stranger, workspace(), { name: 'x' })).toEqual(missing);
    expect(await api.retry(stranger, workspace())).toEqual(missing);
    expect(await api.requestDelete(stranger, workspace())).toEqual(missing);
    expect(await reads.list(stranger, { limit: 10 })).toEqual([]);
    expect(await scenario.row()).toEqual(made);
  });

  it('lists a tenant’s, a page at a time, in order of id', async () => {
    const { database } = await open();
    const { reads } = database.workspaces;
    const scenario = new WorkspaceScenario(database);
    for (const id of ['c', 'a-1', 'b', 'a']) await scenario.made({ id: workspace(id) });
    const ids = async (page: { limit: number; after?: ReturnType<typeof workspace> }) =>
      (await reads.list(tenant(), page)).map(({ id }) => id);
    expect(await ids({ limit: 3 })).toEqual(['a', 'a-1', 'b']);
    expect(await ids({ limit: 3, after: workspace('b') })).toEqual(['c']);
  });

  it('takes hostile texts for texts', async () => {
    const { database } = await open();
    const name = `'; DROP TABLE workspaces; -- "$1" ? \u{1F600} {now}`;
    const scenario = new WorkspaceScenario(database);
    await scenario.made({ name });
    expect((await scenario.row()).name).toBe(name);
  });
}
