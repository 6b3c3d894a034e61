import { describe, expect, it } from 'vitest';
import { isResting } from '../../../runtime/workspaces/workspace-view.ts';
import { must } from '../../support/must.ts';
import type { OpenDatabase } from './database-under-test.ts';
import { NO_LIMITS, tenant, WorkspaceScenario, workspace } from './workspace-scenario.ts';

const DEFAULT = 300;

export function otherWritesContract(open: OpenDatabase): void {
  describe('a wake', () => {
    it('is a word of the user, unless that was the last one', async () => {
      const { database, clock } = await open();
      const { proxy } = database.workspaces;
      const scenario = new WorkspaceScenario(database);
      await scenario.settled('STANDBY');
      clock.advance(1000);
      expect(await proxy.wake(workspace(), NO_LIMITS)).toMatchObject({
        kind: 'done',
        row: { desiredState: 'RUNNING', desiredVersion: 2, lastAccessAt: clock.now() },
      });
      expect(await proxy.wake(workspace(), NO_LIMITS)).toMatchObject({ row: { desiredVersion: 2 } });
      expect(await proxy.wake(workspace('nobody'), NO_LIMITS)).toEqual({ kind: 'missing' });
    });
  });

  describe('access', () => {
    it('is noted at most once a minute', async () => {
      const { database, clock } = await open();
      const { proxy } = database.workspaces;
      const scenario = new WorkspaceScenario(database);
      const { lastAccessAt: made } = await scenario.made();
      clock.advance(59);
      await proxy.accessed(workspace());
      expect((await scenario.row()).lastAccessAt).toBe(made);
      clock.advance(1);
      await proxy.accessed(workspace());
      expect((await scenario.row()).lastAccessAt).toBe(clock.now());
    });

    it('by a first connection is a word of the user', async () => {
      const { database, clock } = await open();
      const scenario = new WorkspaceScenario(database);
      await scenario.made();
      clock.advance(5);
      await database.workspaces.proxy.connected(workspace());
      expect(await scenario.row()).toMatchObject({ desiredVersion: 2, lastAccessAt: clock.now() });
    });
  });

  describe.each([
    ['RUNNING', 'STANDBY', 'standbyTtlSeconds'],
    ['STANDBY', 'PENDING', 'archiveTtlSeconds'],
  ] as const)('one that is %s and quiet', (from, to, own) => {
    const parts = async () => {
      const under = await open();
      const { ttl } = under.database.workspaces;
      return {
        ...under,
        scenario: new WorkspaceScenario(under.database),
        quiet: () => (from === 'RUNNING' ? ttl.quietRunning(DEFAULT) : ttl.quietStandby(DEFAULT)),
        write: (seen: Parameters<typeof ttl.standby>[0]) =>
          from === 'RUNNING' ? ttl.standby(seen) : ttl.archive(seen),
      };
    };

    it(`is to be ${to} after its own time, or the service’s`, async () => {
      const { scenario, clock, quiet, write } = await parts();
      await scenario.settled(from, { id: workspace('default') });
      await scenario.settled(from, { id: workspace('own'), [own]: 400 });
      clock.advance(DEFAULT - 1);
      expect(await quiet()).toEqual([]);
      clock.advance(1);
      expect((await quiet()).map(({ id }) => id)).toEqual(['default']);
      clock.advance(100);
      expect((await quiet()).map(({ id }) => id).toSorted()).toEqual(['default', 'own']);
      const [seen] = await quiet();
      expect(await write(must(seen))).toBe('done');
      expect(await scenario.row(must(seen).id)).toMatchObject({ desiredState: to, desiredVersion: 1 });
      expect(await write(must(seen))).toBe('stale');
    });

    it('is left alone when the user spoke or came since, or something is done about it', async () => {
      const { scenario, database, clock, quiet, write } = await parts();
      const { api, proxy } = database.workspaces;
      const changes: [string, () => Promise<unknown>][] = [
        ['said', () => api.desire(tenant(), workspace('said'), from, NO_LIMITS)],
        ['came', () => proxy.accessed(workspace('came'))],
        ['connected', () => proxy.connected(workspace('connected'))],
        ['deleting', () => api.requestDelete(tenant(), workspace('deleting'))],
        ['busy', () => scenario.begun('STOPPING', 'op', workspace('busy'))],
        ['changed', () => scenario.observe('PENDING', workspace('changed'))],
      ];
      for (const [id] of changes) await scenario.settled(from, { id: workspace(id) });
      clock.advance(DEFAULT);
      const seen = await quiet();
      expect(seen).toHaveLength(changes.length);
      for (const [, change] of changes) await change();
      expect(await Promise.all(seen.map(write))).toEqual(changes.map(() => 'stale'));
      for (const [id] of changes) expect((await scenario.row(workspace(id))).desiredState).toBe(from);
    });
  });

  it('is told apart who put it to rest: its quiet, or its user before or after', async () => {
    const { database, clock } = await open();
    const { api, ttl, proxy } = database.workspaces;
    const scenario = new WorkspaceScenario(database);
    const ids = ['quiet', 'said', 'woken'].map(workspace);
    const [quiet, said, woken] = [must(ids[0]), must(ids[1]), must(ids[2])];
    for (const id of [quiet, woken]) await scenario.settled('RUNNING', { id });
    await scenario.settled('STANDBY', { id: said });
    clock.advance(DEFAULT);
    for (const seen of await ttl.quietRunning(DEFAULT)) expect(await ttl.standby(seen)).toBe('done');
    for (const id of [quiet, woken]) await scenario.observe('STANDBY', id);
    expect((await Promise.all(ids.map((id) => scenario.row(id)))).map(isResting)).toEqual([
      true,
      false,
      true,
    ]);
    await proxy.wake(woken, NO_LIMITS);
    expect(isResting(await scenario.row(woken))).toBe(false);
    await api.desire(tenant(), woken, 'STANDBY', NO_LIMITS);
    expect(isResting(await scenario.row(woken))).toBe(false);
    // An archive changes nothing about whose word it was.
    for (const seen of await ttl.quietStandby(0)) expect(await ttl.archive(seen)).toBe('done');
    const archived = await Promise.all(ids.map((id) => scenario.row(id)));
    expect(archived.map(({ desiredState }) => desiredState)).toEqual(['PENDING', 'PENDING', 'PENDING']);
    expect(archived.map(isResting)).toEqual([true, false, false]);
  });

  it('never archives what is never to be', async () => {
    const { database, clock } = await open();
    await new WorkspaceScenario(database).settled('STANDBY', { archiveTtlSeconds: 'never' });
    clock.advance(10_000_000);
    expect(await database.workspaces.ttl.quietStandby(DEFAULT)).toEqual([]);
  });

  it('an observation holds, unless there is a later one', async () => {
    const { database, clock } = await open();
    const { monitor, reads } = database.workspaces;
    const scenario = new WorkspaceScenario(database);
    await scenario.made();
    const before = clock.now();
    clock.advance(5);
    const running = { status: 'RUNNING', incarnation: 'abc' } as const;
    const nothing = { status: 'PENDING', incarnation: null } as const;
    expect(await monitor.observe(workspace(), running, clock.now())).toBe('done');
    expect(await scenario.row()).toMatchObject({ observedStatus: 'RUNNING', observedAt: clock.now() });
    expect(await monitor.observe(workspace(), nothing, before)).toBe('stale');
    expect(await monitor.observe(workspace('nobody'), nothing, clock.now())).toBe('stale');
    expect(await reads.observed()).toEqual([
      { id: 'one', observedStatus: 'RUNNING', observedIncarnation: 'abc', operation: null },
    ]);
  });
}
