import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase } from '../../../runtime/assembly/open-database.ts';
import type { Database } from '../../../runtime/database/database.ts';
import { OwnSchema } from '../../contract/database/database-under-test.ts';
import { WorkspaceScenario } from '../../contract/database/workspace-scenario.ts';
import { CuttableRelay } from '../../support/cuttable-relay.ts';
import { must } from '../../support/must.ts';
import type { PrivatePostgres } from '../../support/services/private-postgres.ts';
import { describeWith, postgres, startPostgres } from '../../support/services/provided.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'berth-database-'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

async function expectKept(open: () => Promise<Database>): Promise<void> {
  const first = await open();
  const made = await new WorkspaceScenario(first).made({ name: 'kept' });
  await first.close();
  const second = await open();
  expect(await second.workspaces.reads.get(made.id)).toEqual(made);
  expect(Math.abs((await second.now()) - Date.now())).toBeLessThan(60_000);
  await second.close();
}

describe('a database without a URL', () => {
  it('is a file in the data directory, and keeps what it was told', () =>
    expectKept(() => openDatabase({ url: undefined, dataDir })));

  it('can be looked at from outside while it is in use', async () => {
    const one = await openDatabase({ url: undefined, dataDir });
    const other = await openDatabase({ url: undefined, dataDir });
    const { id } = await new WorkspaceScenario(one).made();
    expect(must(await other.workspaces.reads.get(id)).id).toBe(id);
    await Promise.all([one.close(), other.close()]);
  });
});

describeWith('postgres', 'a database with a URL', () => {
  it('is a Postgres, and keeps what it was told', async () => {
    const schema = await OwnSchema.make(postgres().url);
    await expectKept(() => openDatabase({ url: schema.url, dataDir }));
    await schema.remove();
  });

  it('is opened by several at once, of whom one makes it', async () => {
    const schema = await OwnSchema.make(postgres().url);
    const all = await Promise.all([1, 2, 3, 4].map(() => openDatabase({ url: schema.url, dataDir })));
    await Promise.all(all.map((database) => database.ping()));
    await Promise.all(all.map((database) => database.close()));
    await schema.remove();
  });

  it('that is cut off says so, and goes on when it is back', async () => {
    const schema = await OwnSchema.make(postgres().url);
    const { port } = new URL(postgres().url);
    await using relay = await CuttableRelay.open({ host: '127.0.0.1', port: Number(port) });
    const database = await openDatabase({ url: schema.url.replace(`:${port}/`, `:${relay.port}/`), dataDir });
    await new WorkspaceScenario(database).made();
    relay.cut();
    await expect(database.ping()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(database.workspaces.reads.unsettled(1)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(database.leases.hold('a', 'b', 1)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    relay.restore();
    await expect.poll(() => database.workspaces.reads.unsettled(10), { timeout: 10_000 }).toHaveLength(1);
    await database.close();
    await schema.remove();
  });

  it('that is not there is told by where it was looked for', async () => {
    const url = 'postgres://berth:secret@127.0.0.1:1/berth';
    const told: Error[] = [];
    const database = await openDatabase({ url, dataDir, onError: (error) => told.push(error) });
    expect(told).toMatchObject([{ code: 'STORE_UNAVAILABLE' }]);
    const asked = database.ping();
    await expect(asked).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(asked).rejects.not.toThrow('secret');
    await database.close();
  });

  it('that comes after the start gets its schema then', async () => {
    const schema = await OwnSchema.make(postgres().url);
    const { port } = new URL(postgres().url);
    await using relay = await CuttableRelay.open({ host: '127.0.0.1', port: Number(port) });
    relay.cut();
    const database = await openDatabase({ url: schema.url.replace(`:${port}/`, `:${relay.port}/`), dataDir });
    relay.restore();
    await expect.poll(() => database.workspaces.reads.unsettled(1), { timeout: 10_000 }).toEqual([]);
    await database.close();
    await schema.remove();
  });
});

describeWith('postgres-server', 'a Postgres of its own', () => {
  let server: PrivatePostgres;
  beforeEach(async () => {
    server = await startPostgres();
  });
  afterEach(() => server.stop());

  it('that hangs says so within 5 s, and what was asked for is not done twice when it wakes', async () => {
    const database = await openDatabase({ url: server.url, dataDir });
    await database.ping();
    await server.pause();
    const asked = performance.now();
    await expect(database.leases.hold('leader', 'one', 60)).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    expect(performance.now() - asked).toBeLessThan(10_000);
    await server.resume();
    await expect.poll(() => database.leases.hold('leader', 'one', 60), { timeout: 10_000 }).toBe(true);
    await database.close();
  });

  it('that is killed and started again has all that it confirmed', async () => {
    const database = await openDatabase({ url: server.url, dataDir });
    const { id } = await new WorkspaceScenario(database).made();
    await server.stop();
    await expect(database.ping()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await server.start();
    await expect
      .poll(async () => (await database.workspaces.reads.get(id))?.id, { timeout: 10_000 })
      .toBe(id);
    await database.close();
  });
});
