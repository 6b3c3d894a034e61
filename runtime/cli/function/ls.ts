import type { PoolFigures } from '../../client/api.ts';
import { BerthError } from '../../client/wire/berth-error.ts';
import type { Command } from '../command.ts';
import { openService } from '../connection/open-service.ts';
import { age, span } from '../terminal/measures.ts';

type Pool = PoolFigures['pools'][number];

export const command: Command<'function ls'> = async ({ options }, { env, screen }) => {
  const berth = await openService(options, env);
  const functions = await Array.fromAsync(berth.functions.list());
  if (options.json) {
    screen.json({ functions });
    return 0;
  }
  const pools = await berth.metrics.pools().then(
    (figures) => figures.pools,
    (error) => {
      if (error instanceof BerthError && error.status === 403) return undefined;
      throw error;
    },
  );
  const now = Date.now();
  screen.table(
    [
      { title: 'FUNCTION' },
      { title: 'IMAGE', shrinks: true },
      ...(pools === undefined ? [] : [{ title: 'WORKERS', right: true as const }]),
      { title: 'MAX', right: true },
      { title: 'TIMEOUT', right: true },
      { title: 'CHANGED', right: true },
    ],
    functions.map((each) => [
      each.name,
      each.image ?? each.task_definition ?? '-',
      ...(pools === undefined ? [] : [workers(pools, each.name)]),
      String(each.scaling.max_capacity),
      span(each.timeout_seconds),
      age(each.updated_at, now),
    ]),
  );
  return 0;
};

/** Pools are those of all tenants, and a function does not tell its own: of two with one name, which is meant is not known. */
function workers(pools: readonly Pool[], name: string): string {
  const [pool, another] = pools.filter((each) => each.function_name === name);
  if (another !== undefined) return '?';
  return String(pool?.total_workers ?? 0);
}
