import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { BerthError } from '../../../runtime/contracts/errors.ts';
import type { WorkspaceRow } from '../../../runtime/database/workspace-row.ts';
import type { NewWorkspace } from '../../../runtime/database/workspaces.ts';
import type { ActivityStore } from '../../../runtime/state/activity-store.ts';
import { MemoryActivityStore } from '../../../runtime/state/memory/memory-activity-store.ts';
import { TtlManager } from '../../../runtime/workspaces/ttl-manager.ts';
import {
  type DatabaseUnderTest,
  postgresUnderTest,
  sqliteUnderTest,
} from '../../contract/database/database-under-test.ts';
import {
  NO_LIMITS,
  tenant,
  WorkspaceScenario,
  workspace,
} from '../../contract/database/workspace-scenario.ts';
import { redisUnderTest, type StateUnderTest } from '../../contract/state/state-under-test.ts';
import { describeWith, postgres, redis } from '../../support/services/provided.ts';

const STANDBY = 300;
const ARCHIVE = 86_400;

class TtlScenario implements AsyncDisposable {
  readonly under: DatabaseUnderTest;
  readonly scenario: WorkspaceScenario;
  readonly activity: ActivityStore;
  readonly #store: AsyncDisposable | undefined;

  private constructor(under: DatabaseUnderTest, store?: StateUnderTest) {
    this.under = under;
    this.scenario = new WorkspaceScenario(under.database);
    this.activity = store?.state.activity ?? new MemoryActivityStore(under.clock);
    this.#store = store;
  }

  /** With a store that has been there for long enough to know everybody. */
  static async open(under: DatabaseUnderTest, store?: StateUnderTest): Promise<TtlScenario> {
    const made = new TtlScenario(under, store);
    await made.activity.inUse([]);
    under.clock.advance(90);
    return made;
  }

  static async inServices(): Promise<TtlScenario> {
    const under = await postgresUnderTest(postgres().url);
    return TtlScenario.open(under, await redisUnderTest(redis().url, under.clock));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store?.[Symbol.asyncDispose]();
    await this.under[Symbol.asyncDispose]();
  }

  manager(activity: Pick<ActivityStore, 'inUse'> = this.activity): TtlManager {
    const { database } = this.under;
    return new TtlManager({
      database,
      activity,
      standbySeconds: STANDBY,
      archiveSeconds: ARCHIVE,
      log: pino({ level: 'silent' }),
    });
  }

  /** What is wanted after a look of the manager. */
  async wanted(id = workspace()): Promise<WorkspaceRow['desiredState']> {
    await this.manager().runOnce();
    return (await this.scenario.row(id)).desiredState;
  }
}

describe('the TTL manager', () => {
  let ttl: TtlScenario;
  beforeEach(async () => {
    ttl = await TtlScenario.open(await sqliteUnderTest());
  });
  afterEach(() => ttl[Symbol.asyncDispose]());
  const running = (words: Partial<NewWorkspace> = {}) => ttl.scenario.settled('RUNNING', words);
  const pass = (seconds: number) => ttl.under.clock.advance(seconds);

  it('wants standby of what nobody has used for so long, and says how many', async () => {
    await running();
    pass(STANDBY - 1);
    expect(await ttl.wanted()).toBe('RUNNING');
    pass(1);
    expect(await ttl.manager().runOnce()).toBe(1);
    expect(await ttl.scenario.row()).toMatchObject({ desiredState: 'STANDBY', desiredVersion: 1 });
    expect(await ttl.manager().runOnce()).toBe(0);
  });

  it('goes by a workspace’s own time where it has one', async () => {
    await running({ standbyTtlSeconds: 1000 });
    pass(999);
    expect(await ttl.wanted()).toBe('RUNNING');
    pass(1);
    expect(await ttl.wanted()).toBe('STANDBY');
  });

  it('leaves one running that was just started, though nobody ever came', async () => {
    await running();
    pass(STANDBY);
    await ttl.activity.armTimer(workspace(), STANDBY);
    pass(STANDBY - 1);
    expect(await ttl.wanted()).toBe('RUNNING');
    pass(1);
    expect(await ttl.wanted()).toBe('STANDBY');
  });

  it('leaves one running while somebody is connected, and until their proxy has been silent for 90 s', async () => {
    await running();
    await ttl.activity.connect(workspace(), 'tab');
    pass(STANDBY);
    await ttl.activity.beat([{ workspace: workspace(), connection: 'tab' }]);
    pass(89);
    expect(await ttl.wanted()).toBe('RUNNING');
    pass(1);
    expect(await ttl.wanted()).toBe('STANDBY');
  });

  it('leaves one running for as long after the last connection as it was told to', async () => {
    await running();
    await ttl.activity.connect(workspace(), 'tab');
    pass(STANDBY);
    await ttl.activity.disconnect(workspace(), 'tab', STANDBY);
    pass(STANDBY - 1);
    expect(await ttl.wanted()).toBe('RUNNING');
    pass(1);
    expect(await ttl.wanted()).toBe('STANDBY');
  });

  it('leaves one running that had requests, though the store of connections was emptied', async () => {
    await running();
    pass(STANDBY);
    await ttl.under.database.workspaces.proxy.accessed(workspace());
    expect(await ttl.wanted()).toBe('RUNNING');
  });

  it('wants no standby while it is not told who is connected, but archives', async () => {
    await running();
    await ttl.scenario.settled('STANDBY', { id: workspace('old') });
    pass(ARCHIVE);
    const away = new BerthError('STORE_UNAVAILABLE', 'away');
    expect(await ttl.manager({ inUse: () => Promise.reject(away) }).runOnce()).toBe(1);
    expect((await ttl.scenario.row()).desiredState).toBe('RUNNING');
    expect((await ttl.scenario.row(workspace('old'))).desiredState).toBe('PENDING');
  });

  it('wants an archive of what is in standby for so long, unless it is never to be', async () => {
    for (const [name, archiveTtlSeconds] of [
      ['usual', null],
      ['sooner', 60],
      ['never', 'never'],
    ] as const)
      await ttl.scenario.settled('STANDBY', { id: workspace(name), archiveTtlSeconds });
    pass(60);
    await ttl.manager().runOnce();
    expect((await ttl.scenario.row(workspace('sooner'))).desiredState).toBe('PENDING');
    expect((await ttl.scenario.row(workspace('usual'))).desiredState).toBe('STANDBY');
    pass(10 * ARCHIVE);
    await ttl.manager().runOnce();
    expect((await ttl.scenario.row(workspace('usual'))).desiredState).toBe('PENDING');
    expect((await ttl.scenario.row(workspace('never'))).desiredState).toBe('STANDBY');
  });

  it.each(['RUNNING', 'STANDBY'] as const)('says nothing right after the user has said %s', async (state) => {
    await ttl.scenario.settled(state);
    pass(ARCHIVE);
    await ttl.under.database.workspaces.api.desire(tenant(), workspace(), state, NO_LIMITS);
    expect(await ttl.wanted()).toBe(state);
    pass(ARCHIVE);
    expect(await ttl.wanted()).not.toBe(state);
  });

  it('says nothing of what is worked on, to be deleted, or not there yet', async () => {
    await running({ id: workspace('busy') });
    await ttl.scenario.begun('STOPPING', 'op', workspace('busy'));
    await running({ id: workspace('leaving') });
    await ttl.under.database.workspaces.api.requestDelete(tenant(), workspace('leaving'));
    await ttl.scenario.made({ id: workspace('new') });
    pass(10 * ARCHIVE);
    expect(await ttl.manager().runOnce()).toBe(0);
  });

  it.each([
    [
      'says RUNNING again',
      () => ttl.under.database.workspaces.api.desire(tenant(), workspace(), 'RUNNING', NO_LIMITS),
    ],
    ['connects', () => ttl.under.database.workspaces.proxy.connected(workspace())],
    ['sends a request', () => ttl.under.database.workspaces.proxy.accessed(workspace())],
  ])('is not heard when a user %s between its look and its word', async (_, comes) => {
    await running();
    pass(STANDBY);
    const meanwhile = {
      async inUse() {
        await comes();
        return new Set<never>();
      },
    };
    expect(await ttl.manager(meanwhile).runOnce()).toBe(0);
    expect((await ttl.scenario.row()).desiredState).toBe('RUNNING');
  });
});

/** 1,000 times a user says RUNNING at about the time when the manager says less; `look` is how long its last one took. */
function userWins(open: () => Promise<TtlScenario>, aMoment: (look: number) => Promise<unknown>): void {
  it.each([
    ['RUNNING', STANDBY],
    ['STANDBY', ARCHIVE],
  ] as const)(
    'the user wins over the TTL manager, of what is %s',
    async (state, seconds) => {
      const ttl = await open();
      const { under } = ttl;
      onTestFinished(() => ttl[Symbol.asyncDispose]());
      const { api, reads } = under.database.workspaces;
      const [workspaces, rounds] = [10, 100];
      const ids = Array.from({ length: workspaces }, (_, at) => workspace(`w${at}`));
      for (const id of ids) await ttl.scenario.settled(state, { id });
      let said = 0;
      let took = 0;
      for (let round = 0; round < rounds; round++) {
        under.clock.advance(seconds);
        const began = performance.now();
        const look = ttl.manager().runOnce();
        const before = took;
        const users = ids.map(async (id) => {
          await aMoment(before);
          return api.desire(tenant(), id, 'RUNNING', NO_LIMITS);
        });
        said += await look;
        took = performance.now() - began;
        await Promise.all(users);
        const wanted = (await reads.list(tenant(), { limit: 100 })).map(({ desiredState }) => desiredState);
        expect(wanted).toEqual(Array(workspaces).fill('RUNNING'));
        await under.connection.rows('UPDATE workspaces SET desired_state = $1', [state]);
      }
      // Now one came first, and now the other.
      expect(said).toBeGreaterThan(0);
      expect(said).toBeLessThan(workspaces * rounds);
    },
    180_000,
  );
}

describe('in SQLite', () =>
  userWins(
    async () => TtlScenario.open(await sqliteUnderTest()),
    async () => {
      // It answers before any timer: what the manager does takes some hundred turns.
      for (let turns = Math.random() * 200; turns > 0; turns--) await null;
    },
  ));

describeWith(['postgres', 'redis'], 'in Postgres and Redis', () =>
  userWins(
    () => TtlScenario.inServices(),
    (look) => sleep(Math.random() * 2 * look),
  ),
);
