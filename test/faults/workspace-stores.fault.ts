import { expect, it } from 'vitest';
import { eventually } from '../support/cluster.ts';
import { CuttableRelay } from '../support/cuttable-relay.ts';
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
  it.concurrent('outlive a database and a Redis that go away and come back', async () => {
    await using database = await relayTo(postgres().url);
    await using store = await relayTo(redis().url);
    await using here = await WorkspaceCluster.open(
      {},
      { redisUrl: through(redis().url, store), postgresUrl: through(postgres().url, database) },
    );
    const instances = [await here.cluster.start(), await here.cluster.start()] as const;
    const [one, two] = instances;
    const users = await Promise.all(
      ['a', 'b', 'c'].map(async (word) => new User(await WorkspaceCalls.make(one, here.name(word)), two)),
    );
    const over = new AbortController();
    const working = users.map((user) => user.work(over.signal));
    const goOn = async () => {
      const before = users.map(({ written }) => written.length);
      await eventually(() => {
        for (const [at, { written }] of users.entries())
          expect(written.length).toBeGreaterThan(before[at] ?? 0);
      }, 150);
    };

    await goOn();
    database.cut();
    await allSay(users, 503);
    database.restore();
    await goOn();
    store.cut();
    await allSay(users, 'anything');
    store.restore();
    await goOn();
    // Frozen, calls hang until somebody has waited for long enough.
    database.freeze();
    store.freeze();
    await allSay(users, 503);
    database.restore();
    store.restore();
    await goOn();
    over.abort();
    await Promise.all(working);

    for (const { workspace, written } of users) {
      await workspace.want('RUNNING');
      await workspace.settles({ observed_status: 'RUNNING', error: null }, 150);
      expect(await here.containers(workspace.id)).toHaveLength(1);
      for (const name of written) expect(await workspace.read(name)).toBe(name);
    }
    for (const instance of instances)
      expect(instance.log.filter(({ level }) => level === 'fatal')).toEqual([]);
  }, 420_000);
});

/** Writes a file, wants less of the workspace, writes the next: at both instances by turns, whatever they answer. */
class User {
  readonly workspace: WorkspaceCalls;
  /** Files that the workspace said it has. */
  readonly written: string[] = [];
  readonly statuses: number[] = [];
  readonly #elsewhere: WorkspaceCalls;

  constructor(workspace: WorkspaceCalls, other: WorkspaceCalls['runtime']) {
    this.workspace = workspace;
    this.#elsewhere = workspace.at(other);
  }

  async work(signal: AbortSignal): Promise<void> {
    for (let turn = 0; !signal.aborted; turn += 1) {
      const [here, there] =
        turn % 2 === 0 ? [this.workspace, this.#elsewhere] : [this.#elsewhere, this.workspace];
      const name = `file-${turn}`;
      const put = await here.visit(`/api/file?path=${name}`, {
        method: 'PUT',
        headers: { 'if-none-match': '*' },
        body: name,
      });
      this.statuses.push(put.status);
      if (put.ok) this.written.push(name);
      await put.text();
      const said = await there.runtime.fetch(`/v1/workspaces/${there.id}`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ desired_state: turn % 3 === 2 ? 'PENDING' : 'STANDBY' }),
      });
      this.statuses.push(said.status);
      await said.text();
    }
  }
}

/** Until everybody has got an answer, be it only this one. */
async function allSay(users: readonly User[], status: number | 'anything'): Promise<void> {
  const before = users.map(({ statuses }) => statuses.length);
  await eventually(() => {
    for (const [at, { statuses }] of users.entries()) {
      const since = statuses.slice(before[at]);
      expect(since.length).toBeGreaterThan(1);
      if (status !== 'anything') expect(since).toContain(status);
    }
  }, 90);
}
