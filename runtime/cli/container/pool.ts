import { wholeNumber } from '../arguments/values.ts';
import type { Command } from '../command.ts';
import { openService } from '../connection/open-service.ts';

export const command: Command<'pool'> = async ({ options }, { env, screen }) => {
  const [min, max] = [wholeNumber('min', options.min), wholeNumber('max', options.max)];
  const berth = await openService(options, env);
  let warm = await berth.warmPool.get();
  if (min !== undefined || max !== undefined)
    warm = await berth.warmPool.set({ min_size: min ?? warm.min_size, max_size: max ?? warm.max_size });
  const { pools } = await berth.metrics.pools();
  if (options.json) {
    screen.json({ warm_pool: warm, functions: pools });
    return 0;
  }
  const numbers = (...titles: string[]) => titles.map((title) => ({ title, right: true as const }));
  screen.table(
    [{ title: 'POOL', shrinks: true }, ...numbers('READY', 'BUSY', 'STARTING', 'WANTED', 'MIN', 'MAX')],
    [
      ['warm', warm.size, '-', warm.starting, warm.target, warm.min_size, warm.max_size],
      ...pools.map((pool) => [
        `${pool.tenant}/${pool.function_name}`,
        pool.idle + pool.paused,
        pool.busy,
        pool.provisioning,
        '-',
        pool.min_capacity,
        pool.max_capacity,
      ]),
    ].map((row) => row.map(String)),
  );
  return 0;
};
