import { describe, expect, it } from 'vitest';
import { loadMigrations, migrate } from '../../../runtime/database/migrate.ts';
import { must } from '../../support/must.ts';
import type { OpenDatabase } from './database-under-test.ts';

export function foundationContract(open: OpenDatabase): void {
  describe('the schema', () => {
    it('is brought to this version once, and then left alone', async () => {
      const { connection } = await open();
      expect(await migrate(connection)).toEqual([]);
    });

    it('takes what is missing, in order, and all of it or nothing', async () => {
      const { connection } = await open();
      const known = loadMigrations();
      const next = { number: known.length + 1, name: 'next', statements: ['CREATE TABLE later (id BIGINT)'] };
      const broken = { number: next.number + 1, name: 'broken', statements: ['CREATE NONSENSE'] };
      await expect(migrate(connection, [...known, next, broken])).rejects.toThrow();
      await expect(connection.rows('SELECT * FROM later')).rejects.toThrow();
      expect(await migrate(connection, [...known, next])).toEqual([next.number]);
      expect(await connection.rows('SELECT * FROM later')).toEqual([]);
    });

    it('of a newer version is refused, with a word on what to do', async () => {
      const { connection } = await open();
      await expect(migrate(connection, [])).rejects.toMatchObject({
        detail: expect.stringMatching(/newer version \(migration \d+, and this one knows 0\): start that/),
      });
    });

    it('is made by one when several start at once', async () => {
      const { connection } = await open();
      const next = {
        number: loadMigrations().length + 1,
        name: 'next',
        statements: ['CREATE TABLE later (id BIGINT)'],
      };
      const made = await Promise.all([1, 2, 3].map(() => migrate(connection, [...loadMigrations(), next])));
      expect(made.flat()).toEqual([next.number]);
    });
  });

  describe('the clock', () => {
    it('is the database’s', async () => {
      const { database, clock } = await open();
      expect(await database.now()).toBe(clock.now());
      clock.advance(5);
      expect(await database.now()).toBe(clock.now());
    });
  });

  describe('a lease', () => {
    it('is one owner’s until it lapses or is let go', async () => {
      const { database, clock } = await open();
      const { leases } = database;
      expect(await leases.hold('leader', 'one', 15)).toBe(true);
      expect(await leases.hold('leader', 'two', 15)).toBe(false);
      expect(await leases.hold('another', 'two', 15)).toBe(true);
      clock.advance(14);
      expect(await leases.hold('leader', 'one', 15)).toBe(true);
      clock.advance(14);
      expect(await leases.hold('leader', 'two', 15)).toBe(false);
      clock.advance(1);
      expect(await leases.hold('leader', 'two', 15)).toBe(true);
      await leases.letGo('leader', 'one');
      expect(await leases.hold('leader', 'one', 15)).toBe(false);
      await leases.letGo('leader', 'two');
      expect(await leases.hold('leader', 'one', 15)).toBe(true);
    });

    it('is had by one of many that ask at once', async () => {
      const { database } = await open();
      const owners = Array.from({ length: 20 }, (_, at) => `owner-${at}`);
      const held = await Promise.all(owners.map((owner) => database.leases.hold('leader', owner, 15)));
      expect(held.filter(Boolean)).toHaveLength(1);
    });
  });

  describe('a transaction', () => {
    it('is undone as a whole where a step fails', async () => {
      const { connection } = await open();
      const failing = connection.transaction('any', async ({ rows }) => {
        await rows("INSERT INTO leases (name, owner, until) VALUES ('a', 'b', 1)");
        throw new Error('half way');
      });
      await expect(failing).rejects.toThrow('half way');
      expect(await connection.rows('SELECT * FROM leases')).toEqual([]);
    });

    it('waits for one of the same name', async () => {
      const { connection } = await open();
      await connection.rows("INSERT INTO leases (name, owner, until) VALUES ('count', '', 0)");
      const add = () =>
        connection.transaction('count', async ({ rows }) => {
          const [row] = await rows("SELECT until FROM leases WHERE name = 'count'");
          await rows("UPDATE leases SET until = $1 WHERE name = 'count'", [Number(must(row).until) + 1]);
        });
      await Promise.all(Array.from({ length: 20 }, add));
      expect(await connection.rows('SELECT until FROM leases')).toEqual([{ until: 20 }]);
    });
  });
}
