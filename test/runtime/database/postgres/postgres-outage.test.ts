import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { PostgresConnection } from '../../../../runtime/database/postgres/postgres-connection.ts';
import { CuttableRelay } from '../../../support/cuttable-relay.ts';
import { describeWith, postgres } from '../../../support/services/provided.ts';

const AWAY = { code: 'STORE_UNAVAILABLE' };

describeWith('postgres', 'a Postgres that goes away', () => {
  let relay: CuttableRelay;
  let connection: PostgresConnection;

  beforeEach(async () => {
    const url = new URL(postgres().url);
    relay = await CuttableRelay.open({ host: url.hostname, port: Number(url.port) });
    url.host = `127.0.0.1:${relay.port}`;
    connection = new PostgresConnection({ url: url.href, ssl: false });
  });
  afterEach(async () => {
    await connection.close();
    await relay[Symbol.asyncDispose]();
  });

  const answers = () => connection.rows('SELECT 1 AS one');

  it('between two statements of a transaction fails that alone', async () => {
    const under = connection.transaction('outage', async (within) => {
      await within.rows('SELECT 1');
      relay.cut();
      return within.rows('SELECT 2');
    });
    await expect(under).rejects.toMatchObject(AWAY);
    await expect(answers()).rejects.toMatchObject(AWAY);
    relay.restore();
    expect(await answers()).toEqual([{ one: 1 }]);
  });

  it('while a transaction does something else fails that alone', async () => {
    const under = connection.transaction('outage', async (within) => {
      await within.rows('SELECT 1');
      relay.cut();
      await vi.waitFor(() => expect(relay.connections).toBe(0));
      await setImmediate();
      return within.rows('SELECT 2');
    });
    await expect(under).rejects.toMatchObject(AWAY);
    relay.restore();
    expect(await answers()).toEqual([{ one: 1 }]);
  });

  it('during a statement of a transaction fails that alone', async () => {
    const under = connection.transaction('outage', async (within) => {
      const sleeping = within.rows('SELECT pg_sleep(30)');
      await setImmediate();
      relay.cut();
      return sleeping;
    });
    await expect(under).rejects.toMatchObject(AWAY);
    relay.restore();
    expect(await answers()).toEqual([{ one: 1 }]);
  });

  it('fails a statement, and answers again once it is back', async () => {
    expect(await answers()).toEqual([{ one: 1 }]);
    relay.cut();
    await expect(answers()).rejects.toMatchObject(AWAY);
    relay.restore();
    expect(await answers()).toEqual([{ one: 1 }]);
  });
});
