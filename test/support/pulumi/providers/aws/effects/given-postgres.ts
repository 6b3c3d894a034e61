import type { InstanceArgs } from '@pulumi/aws/rds/instance.js';
import type { Unwrap } from '@pulumi/pulumi';
import pg from 'pg';
import type { Effects } from '../aws-type.ts';

/** Names the Postgres that a database is: `postgres://` with a user who may everything, on the usual port. */
export const GIVEN_POSTGRES = 'BERTH_TEST_RDS';

/** The Postgres of the test with the program's user and an empty database. Its certificate is known to this process. */
export const givenPostgres: Effects<Unwrap<InstanceArgs>> = {
  async created({ engine, port, dbName = '', username = '', password = '' }) {
    const url = process.env[GIVEN_POSTGRES];
    if (url === undefined) return {}; // a database by name, that nobody reaches
    const { hostname, port: at } = new URL(url);
    if (engine !== 'postgres' || Number(at) !== port)
      throw new Error('This provider has a Postgres, on the port of its address.');
    const client = new pg.Client({ connectionString: url, ssl: true });
    await client.connect();
    try {
      const [database, role] = [client.escapeIdentifier(dbName), client.escapeIdentifier(username)];
      await client.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
      await client.query(`DROP ROLE IF EXISTS ${role}`);
      await client.query(`CREATE ROLE ${role} LOGIN PASSWORD ${client.escapeLiteral(password)}`);
      await client.query(`CREATE DATABASE ${database} OWNER ${role}`);
    } finally {
      await client.end();
    }
    return { address: hostname };
  },
};
