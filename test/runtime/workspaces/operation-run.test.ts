import { once } from 'node:events';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BerthError } from '../../../runtime/contracts/errors.ts';
import type { Database } from '../../../runtime/database/database.ts';
import type { OperationKind, WorkspaceRow } from '../../../runtime/database/workspace-row.ts';
import { OperationRun, Superseded } from '../../../runtime/workspaces/operation-run.ts';
import { type DatabaseUnderTest, sqliteUnderTest } from '../../contract/database/database-under-test.ts';
import { WorkspaceScenario } from '../../contract/database/workspace-scenario.ts';
import { must } from '../../support/must.ts';

const lines: { level: number; msg: string; code?: string }[] = [];
const log = pino({ level: 'error' }, { write: (line) => void lines.push(JSON.parse(line)) });

describe('an operation that was claimed', () => {
  let under: DatabaseUnderTest;
  let database: Database;
  let scenario: WorkspaceScenario;
  beforeEach(async () => {
    under = await sqliteUnderTest();
    database = under.database;
    scenario = new WorkspaceScenario(database);
  });
  afterEach(() => under[Symbol.asyncDispose]());

  const runOf = (row: WorkspaceRow, of = database) =>
    new OperationRun({ database: of, log }, row, must(row.operation ?? undefined));
  const claimed = async (kind: OperationKind = 'PROVISIONING') => {
    await scenario.made();
    return runOf(await scenario.begun(kind));
  };
  /** Another goes on with it, as after a minute of silence. */
  const takenOver = async () => {
    under.clock.advance(60);
    const { reconciler } = database.workspaces;
    must(await reconciler.takeOver(await scenario.row(), scenario.operation('PROVISIONING', 'op-2'), 60));
  };
  /** Ends only when it is told to. */
  const waiting = async (run: OperationRun): Promise<void> => {
    await once(run.signal, 'abort');
    throw new Error('a step was interrupted');
  };

  it('is done when its steps are', async () => {
    const run = await claimed();
    const outcome = run.run(async ({ name }) => {
      run.check(await database.workspaces.reconciler.finish(name, { homeFrom: 'nothing' }));
    });
    expect(await outcome).toBe('done');
    expect(await scenario.row()).toMatchObject({ operation: null, homeFrom: 'nothing', error: null });
  });

  it('ends with what its steps fail with, to be tried again', async () => {
    const run = await claimed();
    const failure = new BerthError('VOLUME_CREATE_FAILED', 'no room');
    expect(await run.run(() => Promise.reject(failure))).toBe('failed');
    expect(await scenario.row()).toMatchObject({
      operation: null,
      error: { code: 'VOLUME_CREATE_FAILED', message: 'no room', count: 1, terminal: false },
    });
  });

  it.each([
    ['ARCHIVE_CORRUPT', 1, 'the archive of a workspace is corrupt'],
    ['ARCHIVE_FAILED', 3, 'the home of a workspace could not be archived or restored'],
    ['CONTAINER_CREATE_FAILED', 1, 'a workspace is left in ERROR'],
  ] as const)(
    'that fails with %s for good says so, once nothing more is tried',
    async (code, attempts, words) => {
      lines.splice(0);
      await scenario.made();
      for (let attempt = 1; attempt <= attempts; attempt += 1) {
        expect(lines).toEqual([]);
        const run = runOf(await scenario.begun('RESTORING'));
        expect(await run.run(() => Promise.reject(new BerthError(code, 'it is so')))).toBe('failed');
        under.clock.advance(60);
      }
      expect(lines).toMatchObject([{ msg: words, code }]);
    },
  );

  it.each([
    ['STARTING', 'START_TIMEOUT'],
    ['ARCHIVING', 'ARCHIVE_FAILED'],
    ['RESTORING', 'ARCHIVE_FAILED'],
  ] as const)('of the kind %s that takes too long ends with %s', async (kind, code) => {
    const run = await claimed(kind);
    expect(await run.run(waiting, 0.01)).toBe('failed');
    expect((await scenario.row()).error).toMatchObject({
      code,
      message: `${kind} took longer than 0.01 s`,
    });
  });

  it('that is stopped is left to whoever comes first, and nothing is wrong with it', async () => {
    const run = await claimed();
    const ended = run.run(waiting);
    run.stop();
    expect(await ended).toBe('released');
    expect(run.signal.reason).toMatchObject({ code: 'SHUTTING_DOWN' });
    const left = await scenario.row();
    expect(left).toMatchObject({ error: null, operation: { id: 'op-1', heartbeatAt: 0 } });
    const { reconciler } = database.workspaces;
    const next = await reconciler.takeOver(left, scenario.operation('PROVISIONING', 'op-2'), 60);
    expect(next?.operation?.id).toBe('op-2');
  });

  describe('and is another’s by now', () => {
    it('goes no further than to where it asks', async () => {
      const run = await claimed();
      await takenOver();
      const further = vi.fn();
      const outcome = run.run(async () => {
        await run.requireOurs();
        further();
      });
      expect(await outcome).toBe('superseded');
      expect(further).not.toHaveBeenCalled();
      expect((await scenario.row()).operation?.id).toBe('op-2');
    });

    it.each([
      ['done', async (run: OperationRun) => run.check(await database.workspaces.reconciler.finish(run.name))],
      ['failed', () => Promise.reject(new BerthError('HEALTH_CHECK_FAILED', 'nobody listens'))],
      ['stopped', () => Promise.reject(new BerthError('SHUTTING_DOWN', 'the service is shutting down'))],
    ])('writes nothing when it is %s', async (_, steps) => {
      const run = await claimed();
      await takenOver();
      const before = await scenario.row();
      expect(await run.run(steps)).toBe('superseded');
      expect(await scenario.row()).toEqual(before);
    });

    it('is told so by its heart', async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
      try {
        const run = await claimed();
        const ended = run.run(waiting);
        under.clock.advance(15);
        await vi.advanceTimersByTimeAsync(15_000);
        await vi.waitFor(async () =>
          expect((await scenario.row()).operation?.heartbeatAt).toBe(under.clock.now()),
        );
        await takenOver();
        await vi.advanceTimersByTimeAsync(15_000);
        expect(await ended).toBe('superseded');
        expect(run.signal.reason).toBeInstanceOf(Superseded);
        expect(vi.getTimerCount()).toBe(0);
      } finally {
        vi.useRealTimers();
      }
    });
  });

  it('tells how far it is, once a second, in no more words than fit', async () => {
    const run = await claimed();
    await run.run(async () => {
      run.tell('x'.repeat(1000));
      run.tell('too soon');
      await vi.waitFor(async () => expect((await scenario.row()).operation?.progress).toBe('x'.repeat(300)));
    });
    expect((await scenario.row()).operation?.progress).toBe('x'.repeat(300));
  });

  it('whose end can not be written, throws, and stays as it was', async () => {
    const run = await claimed();
    await database.close();
    await expect(run.run(() => Promise.reject(new Error('no matter')))).rejects.toThrow();
    under = await sqliteUnderTest();
  });
});
