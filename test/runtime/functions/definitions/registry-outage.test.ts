import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { migrate } from '../../../../runtime/database/migrate.ts';
import { PostgresConnection } from '../../../../runtime/database/postgres/postgres-connection.ts';
import { SqlDatabase } from '../../../../runtime/database/sql-database.ts';
import type { FunctionRegistry } from '../../../../runtime/functions/definitions/function-registry.ts';
import { OwnSchema } from '../../../contract/database/database-under-test.ts';
import { CuttableRelay } from '../../../support/cuttable-relay.ts';
import { describeWith, postgres } from '../../../support/services/provided.ts';
import { functionKey, functionName, registryOf, tenant } from './function-parts.ts';

const AWAY = { code: 'STORE_UNAVAILABLE' };
const runs = { image: 'function-node' };

describeWith('postgres', 'the registry of functions, while its database is away', () => {
  let schema: OwnSchema;
  let relay: CuttableRelay;
  let connection: PostgresConnection;
  let registry: FunctionRegistry;
  let now: number;

  beforeEach(async () => {
    schema = await OwnSchema.make(postgres().url);
    const url = new URL(schema.url);
    relay = await CuttableRelay.open({ host: url.hostname, port: Number(url.port) });
    url.host = `127.0.0.1:${relay.port}`;
    connection = new PostgresConnection({ url: url.href, ssl: false });
    await migrate(connection);
    now = 0;
    registry = registryOf(new SqlDatabase(connection), { now: () => now });
    await registry.put(tenant, functionName(), { runs, env: { A: 'b' } });
    await registry.find(functionKey());
    now += 1000;
  });
  afterEach(async () => {
    relay.restore();
    await connection.close();
    await relay[Symbol.asyncDispose]();
    await schema.remove();
  });

  it('finds what it has known within a minute, and nothing else', async () => {
    relay.cut();
    expect(await registry.find(functionKey())).toMatchObject({ env: { A: 'b' } });
    await expect(registry.find(functionKey('never-asked'))).rejects.toMatchObject(AWAY);
    await expect(registry.get(tenant, functionName())).rejects.toMatchObject(AWAY);
    await expect(registry.list(tenant, { limit: 10 })).rejects.toMatchObject(AWAY);
    now += 60_000;
    await expect(registry.find(functionKey())).rejects.toMatchObject(AWAY);
    relay.restore();
    expect(await registry.find(functionKey())).toMatchObject({ env: { A: 'b' } });
  });

  it('keeps no call waiting for a database that hangs', async () => {
    relay.freeze();
    let answered = false;
    const database = registry.get(tenant, functionName()).finally(() => {
      answered = true;
    });
    expect(await registry.find(functionKey())).toMatchObject({ env: { A: 'b' } });
    expect(answered).toBe(false);
    await expect(database).rejects.toMatchObject(AWAY);
  });

  it('does not know what became of a change, and says so until it can read it', async () => {
    relay.cut();
    await expect(registry.put(tenant, functionName(), { runs, port: 9 })).rejects.toMatchObject(AWAY);
    await expect(registry.find(functionKey())).rejects.toMatchObject(AWAY);
    await expect(registry.delete(tenant, functionName())).rejects.toMatchObject(AWAY);
    relay.restore();
    await vi.waitFor(async () => expect(await registry.find(functionKey())).toMatchObject({ port: 8080 }));
  });
});
