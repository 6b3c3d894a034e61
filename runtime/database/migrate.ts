import { readdirSync, readFileSync } from 'node:fs';
import { BerthError } from '../contracts/errors.ts';
import type { SqlConnection } from './sql-connection.ts';

/** Beside this module; beside the bundle where the runtime is bundled. */
const FOLDER = new URL('./migrations/', import.meta.url);

export interface Migration {
  number: number;
  name: string;
  statements: string[];
}

/** `001-workspaces.sql` and so on, in order. What was released is never changed; a new one only adds. */
export function loadMigrations(folder = FOLDER): Migration[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  return files.toSorted().map((file, index) => {
    const [number, name] = [Number(file.slice(0, 3)), file.slice(4, -4)];
    if (number !== index + 1) throw new Error(`migration ${file} is not number ${index + 1}`);
    const text = readFileSync(new URL(file, folder), 'utf8').replace(/^\s*--.*$/gm, '');
    const statements = text.split(/;\s*$/m).filter((statement) => statement.trim() !== '');
    return { number, name, statements };
  });
}

/** Brings the database to this version, once, whoever else starts at the same time. */
export async function migrate(connection: SqlConnection, migrations = loadMigrations()): Promise<number[]> {
  return connection.transaction('migrate', async ({ rows }) => {
    await rows(
      'CREATE TABLE IF NOT EXISTS migrations (number BIGINT PRIMARY KEY, name TEXT NOT NULL, applied_at BIGINT NOT NULL)',
    );
    const applied = new Set((await rows('SELECT number FROM migrations')).map(({ number }) => number));
    const newest = Math.max(0, ...[...applied].map(Number));
    if (newest > migrations.length) {
      throw new BerthError(
        'INTERNAL',
        `the database is of a newer version (migration ${newest}, and this one knows ${migrations.length}): start that version`,
      );
    }
    const missing = migrations.filter(({ number }) => !applied.has(number));
    for (const { number, name, statements } of missing) {
      for (const statement of statements) await rows(statement);
      await rows('INSERT INTO migrations (number, name, applied_at) VALUES ($1, $2, {now})', [number, name]);
    }
    return missing.map(({ number }) => number);
  });
}
