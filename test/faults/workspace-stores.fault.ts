import { expect, it } from 'vitest';
import { eventually } from '../support/cluster.ts';
import { CuttableRelay } from '../support/cuttable-relay.ts';
import { must } from '../support/must.ts';
import { describeWith, postgres, redis } from '../support/services/provided.ts';
import { WorkspaceCalls } from '../support/workspace-calls.ts';
import { WORKSPACE_SERVICES, WorkspaceCluster } from '../support/workspace-cluster.ts';

const relayTo = (url: string) =>
  CuttableRelay.open({ host: new URL(url).hostname, port: Number(new URL(url).port) });

const through = (url: string, relay: CuttableRelay): string => {
  const there = new URL(url);
  there.hostname = '127.0.0.1';
  there.port = String(relay.port);
  return there.href;
};

describeWith(WORKSPACE_SERVICES, 'workspaces that are used at two instances', () => {
  it('outlive a database and a Redis that go away and come back', async () => {
    await using database = await relayTo(postgres().url);
    await using store = await relayTo(redis().url);
    await using here = await WorkspaceCluster.open(
      {},
      { redisUrl: through(redis().url, store), postgresUrl: through(postgres().url, database) },
    );
    const instances = [await here.cluster.start(), await here.cluster.start()] as const;
    const users = await Promise.all(
      ['a', 'b', 'c'].map(async (word) => {
        const made = await WorkspaceCalls.make(instances[0], here.name(word));
        return new User(instances.map((each) => made.at(each)));
      }),
    );
    const over = new AbortController();
    using _back = {
      [Symbol.dispose]: () => {
        for (const relay of [database, store]) relay.restore();
        over.abort();
      },
    };
    const working = Promise.all(users.map((user) => user.work(over.signal)));
    working.catch(() => {}); // awaited below

    await everybody(users, 'writes');
    database.cut();
    await everybody(users, 'is refused');
    database.restore();
    await everybody(users, 'writes');
    store.cut();
    // Nobody needs it: what it is told is only told later.
    await everybody(users, 'writes');
    for (const { workspace } of users)
      expect((await workspace.look()).error?.message ?? '').not.toContain('Redis');
    store.restore();
    await everybody(users, 'writes');
    // Now nothing breaks, and nothing answers.
    for (const relay of [database, store]) relay.freeze();
    await everybody(users, 'is refused');
    for (const relay of [database, store]) relay.restore();
    await everybody(users, 'writes');
    over.abort();
    await working;

    for (const { workspace, written } of users) {
      await workspace.want('RUNNING');
      await workspace.settles({ observed_status: 'RUNNING', error: null }, 120);
      expect(await here.containers(workspace.id)).toHaveLength(1);
      for (const name of written) expect(await workspace.read(name)).toBe(name);
    }
  }, 400_000);
});

/** Writes a file, wants less of the workspace, waits a while for that: at each instance by turns, whatever they answer. */
class User {
  /** Files that the workspace said it has. */
  readonly written: string[] = [];
  refused = 0;
  readonly #at: readonly WorkspaceCalls[];

  constructor(at: readonly WorkspaceCalls[]) {
    this.#at = at;
  }

  get workspace(): WorkspaceCalls {
    return must(this.#at[0]);
  }

  async work(signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn += 1) {
      const calls = must(this.#at[turn % this.#at.length]);
      const name = `file-${turn}`;
      const put = await calls.visit(`/api/file?path=${name}`, {
        method: 'PUT',
        headers: { 'if-none-match': '*' },
        body: name,
      });
      if (put.ok) this.written.push(name);
      else this.refused += 1;
      const less = turn % 3 === 2 ? 'PENDING' : 'STANDBY';
      const there = must(this.#at[(turn + 1) % this.#at.length]);
      const said = await there.runtime.fetch(`/v1/workspaces/${there.id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ desired_state: less }),
      });
      // Whether it is left that much time is another's to say.
      if (said.ok) await there.settles({ observed_status: less }, 5).catch(() => {});
    }
  }
}

async function everybody(users: readonly User[], does: 'writes' | 'is refused'): Promise<void> {
  const count = ({ written, refused }: User) => (does === 'writes' ? written.length : refused);
  const before = users.map(count);
  await eventually(() => {
    for (const [at, user] of users.entries()) expect(count(user)).toBeGreaterThan(before[at] ?? 0);
  }, 120);
}
