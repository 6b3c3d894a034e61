import { expect, it } from 'vitest';
import type { ContainerId } from '../../../runtime/contracts/ids.ts';
import { AcquireWindow } from '../../../runtime/overview/acquire-window.ts';
import { MinuteCounts } from '../../../runtime/overview/minute-counts.ts';
import { PoolHistory } from '../../../runtime/overview/pool-history.ts';
import { RecentRefusals } from '../../../runtime/overview/recent-refusals.ts';

const NOON = Date.parse('2026-01-01T12:00:00Z');
const MINUTE = 60_000;
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

it('counts executions of the last hour by minute, tenant and outcome, and forgets those before', () => {
  const counts = new MinuteCounts();
  counts.add('acme', 'completed', NOON - 61 * MINUTE);
  counts.add('acme', 'completed', NOON - 59 * MINUTE);
  counts.add('acme', 'failed', NOON);
  counts.add('globex', 'failed', NOON);
  const ofAcme = counts.read('acme', NOON);
  expect(ofAcme.completed).toHaveLength(60);
  expect(ofAcme.completed[0]).toBe(1);
  expect(sum(ofAcme.completed)).toBe(1);
  expect(ofAcme.failed.at(-1)).toBe(1);
  expect(ofAcme.since).toBe('2026-01-01T11:01:00.000Z');
  expect(counts.read(undefined, NOON).failed.at(-1)).toBe(2);
  expect(sum(counts.read('nobody', NOON).failed)).toBe(0);
});

it('keeps apart no more tenants than it has room for, and loses no execution', () => {
  const counts = new MinuteCounts();
  for (let tenant = 0; tenant < 1500; tenant += 1) counts.add(`t${tenant}`, 'completed', NOON);
  expect(counts.read(undefined, NOON).completed.at(-1)).toBe(1500);
  expect(counts.read('t0', NOON).completed.at(-1)).toBe(1);
});

it('tells the median and the worst hundredth of the last thousand waits of a source, within an hour', () => {
  const window = new AcquireWindow();
  window.add('cold', 'acme', 99, NOON - 61 * MINUTE);
  for (let ms = 1; ms <= 5000; ms += 1) window.add('warm', ms % 2 === 0 ? 'acme' : 'globex', ms / 1000, NOON);
  expect(window.read(undefined, NOON)).toEqual([{ source: 'warm', count: 1000, p50_ms: 4500, p99_ms: 4990 }]);
  expect(window.read('acme', NOON)).toEqual([{ source: 'warm', count: 500, p50_ms: 4500, p99_ms: 4990 }]);
  expect(window.read('nobody', NOON)).toEqual([]);
});

it('has an hour of the pool and not more, with gaps where it could not be seen', () => {
  const history = new PoolHistory();
  expect(history.read().warm).toEqual([]);
  const sample = (warm: number) => ({ warm, starting: 0, target: 5 });
  history.add(sample(1), NOON);
  history.add(undefined, NOON + 15_000);
  history.add(sample(3), NOON + 60_000); // it slept through two
  expect(history.read()).toMatchObject({
    since: '2026-01-01T12:00:00.000Z',
    warm: [1, null, null, null, 3],
    target: [5, null, null, null, 5],
  });
  for (let at = 5; at < 1000; at += 1) history.add(sample(at), NOON + at * 15_000);
  expect(history.read().warm).toHaveLength(240);
  expect(history.read().warm.at(-1)).toBe(999);
});

it('keeps what was refused last, by container: who floods drives out only its own', async () => {
  const owners: Record<string, { tenant: string; conversation?: string }> = {
    'ws-1': { tenant: 'acme', conversation: 'c1' },
    'ws-2': { tenant: 'globex', conversation: 'c1' },
  };
  let asked = 0;
  const refusals = new RecentRefusals(async (container) => {
    asked += 1;
    return owners[container];
  });
  // The cast: the list looks at none of them.
  const refuse = (container: string, port: number) =>
    refusals.add(
      { container: container as ContainerId, host: 'x.example', port, reason: 'not_allowed' },
      NOON + port,
    );
  await refuse('ws-2', 1);
  for (let port = 2; port < 200; port += 1) await refuse('ws-1', port);
  await refuse('ws-nobody', 300);
  expect(asked).toBe(3); // an owner is known once it is
  expect(refusals.read({}, 1000)).toHaveLength(22);
  expect(refusals.read({ tenant: 'acme' }, 1000).map(({ port }) => port)).toEqual(
    Array.from({ length: 20 }, (_, back) => 199 - back),
  );
  expect(refusals.read({ tenant: 'globex', conversation: 'c1' }, 5)).toEqual([
    {
      at: new Date(NOON + 1).toISOString(),
      container_id: 'ws-2',
      tenant: 'globex',
      conversation_id: 'c1',
      host: 'x.example',
      port: 1,
      reason: 'not_allowed',
    },
  ]);
  for (let container = 0; container < 1000; container += 1) await refuse(`ws-many-${container}`, container);
  expect(refusals.read({}, 100_000)).toHaveLength(500);
});
