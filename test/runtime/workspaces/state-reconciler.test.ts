import { once } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BerthError } from '../../../runtime/contracts/errors.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { NOTHING, OPERATIONS, type OperationKind } from '../../../runtime/database/workspace-row.ts';
import type { ReconcilerWrites } from '../../../runtime/database/workspaces.ts';
import { archiveKey } from '../../../runtime/workspaces/archive-key.ts';
import type { OperationRun, OperationSteps } from '../../../runtime/workspaces/operation-run.ts';
import { StateReconciler } from '../../../runtime/workspaces/state-reconciler.ts';
import { type DatabaseUnderTest, sqliteUnderTest } from '../../contract/database/database-under-test.ts';
import { tenant, WorkspaceScenario, workspace } from '../../contract/database/workspace-scenario.ts';
import { must } from '../../support/must.ts';

describe('the reconciler', () => {
  let under: DatabaseUnderTest;
  let database: Database;
  let scenario: WorkspaceScenario;
  /** What has begun, in that order. */
  let begun: OperationRun[];
  const ends = vi.fn();
  const opened: StateReconciler[] = [];

  beforeEach(async () => {
    under = await sqliteUnderTest();
    database = under.database;
    scenario = new WorkspaceScenario(database);
    begun = [];
    ends.mockReset();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((reconciler) => reconciler.close()));
    await under[Symbol.asyncDispose]();
  });

  /** Goes on until it is stopped. */
  const endless: OperationSteps = async (run) => {
    await once(run.signal, 'abort');
    run.signal.throwIfAborted();
  };
  /** Does it all at once. */
  const quick: OperationSteps = async (run) => {
    run.check(await database.workspaces.reconciler.finish(run.name, { homeFrom: NOTHING }));
  };

  function reconciler(
    act: OperationSteps = endless,
    { owner = 'one', parallel = 10, of = database } = {},
  ): StateReconciler {
    const noted: OperationSteps = (run) => {
      begun.push(run);
      return act(run);
    };
    const steps = Object.fromEntries(OPERATIONS.map((kind) => [kind, noted]));
    const made = new StateReconciler({
      database: of,
      steps: steps as Record<OperationKind, OperationSteps>, // the cast: every kind has its own
      owner,
      parallel,
      log: pino({ level: 'silent' }),
      onEnd: ends,
    });
    opened.push(made);
    return made;
  }
  const kinds = () => begun.map(({ row, operation }) => `${row.id} ${operation.kind}`);
  /** The database, with something else done at one of the reconciler's writes. */
  const altered = (writes: Partial<ReconcilerWrites>): Database => {
    const { reconciler } = database.workspaces;
    const calls = new Proxy(reconciler, {
      get: (of, name) => {
        const own = Reflect.get(writes, name) ?? Reflect.get(of, name);
        return typeof own === 'function' ? own.bind(of) : own;
      },
    });
    return {
      workspaces: { ...database.workspaces, reconciler: calls },
      functions: database.functions,
      leases: database.leases,
      now: () => database.now(),
      ping: () => database.ping(),
      close: () => database.close(),
    };
  };

  it('begins what is due, without waiting for it, and nothing else', async () => {
    await scenario.settled('RUNNING', { id: workspace('fine') });
    await scenario.made({ id: workspace('new') });
    await scenario.settled('RUNNING', { id: workspace('to-stop') });
    await database.workspaces.api.desire(tenant(), workspace('to-stop'), 'STANDBY', { all: 9, ofKey: 9 });
    const one = reconciler();
    await one.runOnce();
    expect(kinds().toSorted()).toEqual(['new PROVISIONING', 'to-stop STOPPING']);
    expect(one.underWay).toBe(2);
    const stopping = begun.find(({ row }) => row.id === 'to-stop');
    expect(stopping?.operation).toMatchObject({ owner: 'one', incarnation: 'engine-id-of-to-stop' });
    await one.runOnce();
    expect(begun).toHaveLength(2);
  });

  it('tells when one is over, how, and for how long it went', async () => {
    await scenario.made();
    await reconciler(quick).runOnce();
    await vi.waitFor(() => expect(ends).toHaveBeenCalled());
    expect(ends.mock.calls).toEqual([['PROVISIONING', 'done', expect.any(Number)]]);
    expect((await scenario.row()).operation).toBeNull();
  });

  it('writes how one failed, and has others go on', async () => {
    await scenario.made({ id: workspace('bad') });
    await scenario.made({ id: workspace('good') });
    const failing: OperationSteps = (run) =>
      run.row.id === 'bad' ? Promise.reject(new BerthError('VOLUME_CREATE_FAILED', 'no')) : quick(run);
    await reconciler(failing).runOnce();
    await vi.waitFor(() => expect(ends).toHaveBeenCalledTimes(2));
    expect((await scenario.row(workspace('bad'))).error?.code).toBe('VOLUME_CREATE_FAILED');
    expect((await scenario.row(workspace('good'))).homeFrom).toBe(NOTHING);
  });

  it('goes on soon with one whose end a database that was away could not be told', async () => {
    await scenario.made();
    let away = true;
    const told = vi.fn();
    const unlessAway = <Call extends 'finish' | 'fail' | 'release'>(call: Call): ReconcilerWrites[Call] => {
      const write = async (...args: unknown[]) => {
        told(call);
        if (away) throw new BerthError('STORE_UNAVAILABLE', 'the database does not answer');
        return Reflect.apply(database.workspaces.reconciler[call], database.workspaces.reconciler, args);
      };
      return write as ReconcilerWrites[Call]; // the cast: passed on as they came
    };
    const of = altered({
      finish: unlessAway('finish'),
      fail: unlessAway('fail'),
      release: unlessAway('release'),
    });
    const finishing: OperationSteps = async (run) => {
      run.check(await of.workspaces.reconciler.finish(run.name, { homeFrom: NOTHING }));
    };
    const one = reconciler(finishing, { of });
    await one.runOnce();
    await vi.waitFor(() => expect(told.mock.calls.flat()).toEqual(['finish', 'fail', 'release']), 5_000);
    expect(one.underWay).toBe(1);
    away = false;
    await vi.waitFor(
      () => expect(ends.mock.calls).toEqual([['PROVISIONING', 'released', expect.any(Number)]]),
      5_000,
    );
    await one.runOnce();
    await vi.waitFor(async () => expect((await scenario.row()).homeFrom).toBe(NOTHING));
    expect(begun).toHaveLength(2);
  });

  it('is not kept from others by one that it can not claim', async () => {
    await scenario.made({ id: workspace('bad') });
    await scenario.made({ id: workspace('good') });
    const { reconciler: writes } = database.workspaces;
    const of = altered({
      claim: (seen, operation) =>
        seen.id === 'bad' ? Promise.reject(new Error('no')) : writes.claim(seen, operation),
    });
    await reconciler(endless, { of }).runOnce();
    expect(kinds()).toEqual(['good PROVISIONING']);
  });

  it('has no more under way than it may, also when it is asked twice at once', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await scenario.made({ id: workspace(name) });
    const first = Promise.withResolvers<void>();
    const one = reconciler(
      (run) => (run.row.id === 'a' ? first.promise.then(() => quick(run)) : endless(run)),
      {
        parallel: 2,
      },
    );
    await Promise.all([one.runOnce(), one.runOnce()]);
    expect(kinds()).toEqual(['a PROVISIONING', 'b PROVISIONING']);
    await one.runOnce();
    expect(begun).toHaveLength(2);
    first.resolve();
    await vi.waitFor(() => expect(one.underWay).toBe(1));
    await scenario.observe('STANDBY', workspace('a'));
    await one.runOnce();
    expect(begun).toHaveLength(3);
    expect(one.underWay).toBe(2);
  });

  it('claims each once, however many race for it', async () => {
    const names = Array.from({ length: 20 }, (_, at) => `w${at}`);
    for (const name of names) await scenario.made({ id: workspace(name) });
    const racing = Array.from({ length: 4 }, (_, at) =>
      reconciler(endless, { owner: `${at}`, parallel: 20 }),
    );
    await Promise.all(racing.map((each) => each.runOnce()));
    expect(begun.map(({ row }) => row.id).toSorted()).toEqual(names.toSorted());
    expect(racing.reduce((sum, each) => sum + each.underWay, 0)).toBe(20);
  });

  describe('of one whose owner is silent', () => {
    it('goes on after a minute, under another id, and the one before goes no further', async () => {
      await scenario.settled('RUNNING');
      await database.workspaces.api.desire(tenant(), workspace(), 'STANDBY', { all: 9, ofKey: 9 });
      const goOn = Promise.withResolvers<void>();
      const deleted = vi.fn();
      await reconciler(async (run) => {
        await goOn.promise;
        await run.requireOurs();
        deleted();
      }).runOnce();
      const two = reconciler(endless, { owner: 'two' });
      under.clock.advance(59);
      await two.runOnce();
      expect(begun).toHaveLength(1);
      under.clock.advance(1);
      // Another container than then must not be what is meant.
      const newer = { status: 'RUNNING', incarnation: 'engine-id-of-another' } as const;
      await database.workspaces.monitor.observe(workspace(), newer, await database.now());
      await two.runOnce();
      const [first, second] = begun;
      expect(must(second).operation).toMatchObject({
        kind: 'STOPPING',
        owner: 'two',
        incarnation: 'engine-id-of-one',
      });
      expect(must(second).operation.id).not.toBe(must(first).operation.id);
      goOn.resolve();
      await vi.waitFor(() => expect(ends).toHaveBeenCalled());
      expect(ends.mock.calls[0]?.slice(0, 2)).toEqual(['STOPPING', 'superseded']);
      expect(deleted).not.toHaveBeenCalled();
      expect((await scenario.row()).operation?.id).toBe(must(second).operation.id);
    });

    it('writes an archive of its own, and the one before is unwanted', async () => {
      await scenario.settled('STANDBY');
      await database.workspaces.api.desire(tenant(), workspace(), 'PENDING', { all: 9, ofKey: 9 });
      await reconciler().runOnce();
      under.clock.advance(60);
      await reconciler(endless, { owner: 'two' }).runOnce();
      const keys = begun.map(({ operation }) => operation.pendingArchiveKey);
      expect(keys).toEqual(begun.map(({ row, operation }) => archiveKey(row.id, operation.id)));
      expect(await database.workspaces.reconciler.unwantedArchives(0, 10)).toEqual([keys[0]]);
    });

    it('writes none where the home is archived already', async () => {
      await scenario.settled('STANDBY');
      await database.workspaces.api.desire(tenant(), workspace(), 'PENDING', { all: 9, ofKey: 9 });
      await reconciler(async (run) => {
        run.check(await database.workspaces.reconciler.commitArchive(run.name));
        await endless(run);
      }).runOnce();
      await vi.waitFor(async () => expect((await scenario.row()).archiveKey).not.toBeNull());
      const { archiveKey: committed } = await scenario.row();
      under.clock.advance(60);
      await reconciler(endless, { owner: 'two' }).runOnce();
      expect(must(begun[1]).operation).toMatchObject({ kind: 'ARCHIVING', pendingArchiveKey: null });
      expect((await scenario.row()).archiveKey).toBe(committed);
      expect(await database.workspaces.reconciler.unwantedArchives(0, 10)).toEqual([]);
    });
  });

  describe('that is closed', () => {
    it('leaves what is under way to others, at once', async () => {
      await scenario.made();
      const one = reconciler();
      await one.runOnce();
      await one.close();
      expect(ends.mock.calls[0]?.slice(0, 2)).toEqual(['PROVISIONING', 'released']);
      await reconciler(endless, { owner: 'two' }).runOnce();
      expect(begun.map(({ operation }) => operation.owner)).toEqual(['one', 'two']);
      expect((await scenario.row()).error).toBeNull();
    });

    it('begins nothing any more', async () => {
      await scenario.made();
      const one = reconciler();
      await one.close();
      await one.runOnce();
      expect(begun).toEqual([]);
      expect((await scenario.row()).operation).toBeNull();
    });

    it('while it claims, does not begin it, and leaves it to others', async () => {
      await scenario.made();
      await scenario.made({ id: workspace('two') });
      const claiming = Promise.withResolvers<void>();
      const answered = Promise.withResolvers<void>();
      const { reconciler: writes } = database.workspaces;
      const of = altered({
        async claim(seen, operation) {
          const claimed = await writes.claim(seen, operation);
          claiming.resolve();
          await answered.promise;
          return claimed;
        },
      });
      const one = reconciler(endless, { of });
      const turn = one.runOnce();
      await claiming.promise;
      const closed = one.close();
      answered.resolve();
      await Promise.all([turn, closed]);
      expect(begun).toEqual([]);
      expect((await scenario.row()).operation).toMatchObject({ heartbeatAt: 0 });
      await reconciler(endless, { owner: 'two' }).runOnce();
      expect(begun.map(({ row }) => row.id).toSorted()).toEqual(['one', 'two']);
    });
  });

  it('that can not read what is due says so, and goes on at the next turn', async () => {
    await scenario.made();
    let away = true;
    const of = altered({});
    const reads = Object.create(database.workspaces.reads, {
      unsettled: {
        value: (limit: number) =>
          away
            ? Promise.reject(new BerthError('STORE_UNAVAILABLE', 'away'))
            : database.workspaces.reads.unsettled(limit),
      },
    });
    const one = reconciler(endless, { of: { ...of, workspaces: { ...of.workspaces, reads } } });
    await expect(one.runOnce()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    away = false;
    await one.runOnce();
    expect(kinds()).toEqual(['one PROVISIONING']);
  });
});
