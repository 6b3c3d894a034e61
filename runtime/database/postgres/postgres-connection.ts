import pg from 'pg';
import { BerthError, isBerthError } from '../../contracts/errors.ts';
import {
  type SqlConnection,
  type SqlRow,
  type SqlStatements,
  type SqlValue,
  withClock,
} from '../sql-connection.ts';
import type { PostgresTls } from './postgres-tls.ts';

const CLOCK = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
const CONNECT_MS = 2_000;
const ANSWER_MS = 5_000;
const CONNECTIONS = 10;
const BIGINT = 20;

export interface PostgresOptions extends PostgresTls {
  /** Told of connections that broke while nobody used them. */
  onError?: (error: Error) => void;
  testClock?: { now(): number };
}

/** A Postgres that instances share. */
export class PostgresConnection implements SqlConnection {
  readonly dialect = 'postgres';
  readonly #pool: pg.Pool;
  readonly #testClock: { now(): number } | undefined;

  constructor({ url, ssl, onError = () => {}, testClock }: PostgresOptions) {
    this.#testClock = testClock;
    this.#pool = new pg.Pool({
      connectionString: url,
      ssl,
      application_name: 'berth',
      max: CONNECTIONS,
      connectionTimeoutMillis: CONNECT_MS,
      query_timeout: ANSWER_MS,
      statement_timeout: ANSWER_MS,
      idle_in_transaction_session_timeout: ANSWER_MS,
      keepAlive: true,
      types: {
        // Milliseconds and counts: far below what a number holds.
        getTypeParser: (oid, format) => (oid === BIGINT ? Number : pg.types.getTypeParser(oid, format)),
      },
    });
    this.#pool.on('error', onError);
  }

  async rows(text: string, values: readonly SqlValue[] = []): Promise<SqlRow[]> {
    return this.#away(this.#pool.query(this.#sql(text), [...values]).then(({ rows }) => rows));
  }

  transaction<Result>(name: string, steps: (within: SqlStatements) => Promise<Result>): Promise<Result> {
    return this.#away(this.#inTransaction(name, steps));
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #inTransaction<Result>(
    name: string,
    steps: (within: SqlStatements) => Promise<Result>,
  ): Promise<Result> {
    const client = await this.#pool.connect();
    let broken: unknown;
    // Told to whoever waits for a statement, now or next; an event that nobody hears would end the process.
    const onError = (error: Error) => {
      broken = error;
    };
    client.on('error', onError);
    try {
      await client.query('BEGIN');
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`berth:${name}`]);
      const result = await steps({
        rows: async (text, values = []) => (await client.query(this.#sql(text), [...values])).rows,
      });
      await client.query('COMMIT');
      return result;
    } catch (error) {
      broken ??= error;
      await client.query('ROLLBACK').catch(() => {}); // a connection that broke has nothing to undo
      throw error;
    } finally {
      client.off('error', onError);
      client.release(isAway(broken));
    }
  }

  #sql(text: string): string {
    return withClock(text, CLOCK, this.#testClock);
  }

  async #away<Result>(answer: Promise<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (error) {
      if (!isAway(error)) throw error;
      throw new BerthError('STORE_UNAVAILABLE', 'the database does not answer', {}, error);
    }
  }
}

/** The server, or the way there, and not what was asked of it. */
function isAway(error: unknown): boolean {
  if (!(error instanceof Error) || isBerthError(error)) return false;
  if (error instanceof pg.DatabaseError) return /^(08|53|57)/.test(error.code ?? '');
  return 'code' in error || /timeout|terminated|ended|not queryable/i.test(error.message);
}
