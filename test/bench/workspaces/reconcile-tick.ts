import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Database } from '../../../runtime/database/database.ts';
import { migrate } from '../../../runtime/database/migrate.ts';
import { PostgresConnection } from '../../../runtime/database/postgres/postgres-connection.ts';
import type { SqlConnection } from '../../../runtime/database/sql-connection.ts';
import { SqlDatabase } from '../../../runtime/database/sql-database.ts';
import { SqliteConnection } from '../../../runtime/database/sqlite/sqlite-connection.ts';
import { OPERATIONS, type OperationKind } from '../../../runtime/database/workspace-row.ts';
import { MemoryActivityStore } from '../../../runtime/state/memory/memory-activity-store.ts';
import { HealthMonitor } from '../../../runtime/workspaces/health-monitor.ts';
import type { OperationSteps } from '../../../runtime/workspaces/operation-run.ts';
import { StateReconciler } from '../../../runtime/workspaces/state-reconciler.ts';
import { TtlManager } from '../../../runtime/workspaces/ttl-manager.ts';
import { OwnSchema } from '../../contract/database/database-under-test.ts';
import type { BenchSetting } from '../bench-setting.ts';
import { type Figure, median, timed } from '../figure.ts';
import { CountingSql } from './counting-sql.ts';
import { addSettled, type SettledWorkspaces } from './settled-workspaces.ts';

const FEW = 100;
const MANY = 10_000;
const WARM_TURNS = 20;
const TURNS = 101;
const log = pino({ level: 'silent' });

interface Turn {
  queries: number;
  ms: number;
}

/** Turns of what looks after workspaces, over many with nothing to do, against over few. */
export async function reconcileTick({ postgresUrl }: BenchSetting): Promise<Figure[]> {
  return [
    ...figures('Postgres', await onPostgres(postgresUrl, FEW), await onPostgres(postgresUrl, MANY)),
    ...figures('SQLite', await onSqlite(FEW), await onSqlite(MANY)),
  ];
}

function figures(database: string, few: Turns, many: Turns): Figure[] {
  const over = `over 10,000 workspaces, nothing to do, ${database}`;
  const reference = (value: number) => ({ name: 'over 100', value });
  return [
    {
      name: `queries of a turn of the reconciler ${over}`,
      unit: 'queries',
      ours: many.reconciler.queries,
      reference: reference(few.reconciler.queries),
      goal: 1,
    },
    { name: `a turn of the reconciler ${over}`, unit: 'ms', ours: many.reconciler.ms, goal: 50 },
    {
      name: `queries of the monitor's and the TTL manager's turns ${over}`,
      unit: 'queries',
      ours: many.others.queries,
      reference: reference(few.others.queries),
      goal: 1,
    },
    {
      name: `the monitor's and the TTL manager's turns, the engine's lists apart, ${over}`,
      unit: 'ms',
      ours: many.others.ms,
    },
  ];
}

interface Turns {
  reconciler: Turn;
  others: Turn;
}

async function onPostgres(url: string, workspaces: number): Promise<Turns> {
  const schema = await OwnSchema.make(url);
  try {
    return await turnsOver(new PostgresConnection({ url: schema.url, ssl: false }), workspaces);
  } finally {
    await schema.remove();
  }
}

async function onSqlite(workspaces: number): Promise<Turns> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  try {
    return await turnsOver(new SqliteConnection({ file: join(folder, 'berth.sqlite') }), workspaces);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function turnsOver(connection: SqlConnection, workspaces: number): Promise<Turns> {
  const sql = new CountingSql(connection);
  try {
    await migrate(sql);
    const settled = await addSettled(sql, workspaces);
    const { reconciler, monitor, ttl } = parts(new SqlDatabase(sql), settled);
    return {
      reconciler: await measured(sql, () => reconciler.runOnce()),
      others: await measured(sql, async () => {
        const { changed } = await monitor.observeAll();
        const said = await ttl.runOnce();
        if (changed + said > 0) throw new Error(`there was something to do: ${changed} seen, ${said} said`);
      }),
    };
  } finally {
    await sql.close();
  }
}

async function measured(sql: CountingSql, turn: () => Promise<unknown>): Promise<Turn> {
  for (let done = 0; done < WARM_TURNS; done += 1) await turn();
  sql.queries = 0;
  const times: number[] = [];
  for (let done = 0; done < TURNS; done += 1) times.push(await timed(turn));
  return { queries: sql.queries / TURNS, ms: median(times) };
}

function parts(database: Database, { containers, volumes }: SettledWorkspaces) {
  const never: OperationSteps = async () => {
    throw new Error('there was something to do');
  };
  return {
    reconciler: new StateReconciler({
      database,
      // The cast: every kind has its own.
      steps: Object.fromEntries(OPERATIONS.map((kind) => [kind, never])) as Record<
        OperationKind,
        OperationSteps
      >,
      owner: 'bench',
      parallel: 10,
      log,
      onEnd: (kind) => {
        throw new Error(`there was ${kind} to do`);
      },
    }),
    monitor: new HealthMonitor({
      database,
      backend: { list: async () => containers, inspect: async () => undefined },
      volumes: { list: async () => volumes, find: async () => undefined },
    }),
    ttl: new TtlManager({
      database,
      activity: new MemoryActivityStore(Date),
      standbySeconds: 3600,
      archiveSeconds: 3600,
      log,
    }),
  };
}
