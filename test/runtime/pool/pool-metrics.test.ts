import { describe, expect, it } from 'vitest';
import { Metrics } from '../../../runtime/telemetry/metrics.ts';

const figure = async (metrics: Metrics, name: string) =>
  (await metrics.text()).split('\n').find((line) => line.startsWith(`${name} `));

describe('the gauges of the warm pool', () => {
  it('are taken from one look each time', async () => {
    const metrics = new Metrics(async () => 0);
    let looks = 0;
    metrics.watchWarmPool(async () => {
      looks += 1;
      return { size: 3, target: 4, starting: 1 };
    });
    const text = await metrics.text();
    expect(text.match(/^workspace_warm_pool_(size|target|starting) .*$/gm)).toEqual([
      'workspace_warm_pool_size 3',
      'workspace_warm_pool_target 4',
      'workspace_warm_pool_starting 1',
    ]);
    expect(looks).toBe(1);
    await metrics.text();
    expect(looks).toBe(2);
  });

  it('are unknown while the store is away, and cost nothing else', async () => {
    const metrics = new Metrics(async () => 7);
    metrics.watchWarmPool(() => Promise.reject(new Error('away')));
    expect(await figure(metrics, 'workspace_warm_pool_size')).toBe('workspace_warm_pool_size Nan');
    expect(await figure(metrics, 'workspace_active_containers')).toBe('workspace_active_containers 7');
  });

  it('stand beside what is counted', async () => {
    const metrics = new Metrics(async () => 0);
    metrics.warmPoolExhausted.inc();
    metrics.warmPoolAcquireSeconds.observe(0.02);
    metrics.warmPoolRemovals.inc({ reason: 'expired' });
    metrics.warmPoolCreations.inc({ result: 'added' });
    expect(await figure(metrics, 'workspace_warm_pool_exhausted_total')).toMatch(/ 1$/);
    expect(await figure(metrics, 'workspace_warm_pool_acquire_seconds_count')).toMatch(/ 1$/);
    expect(await figure(metrics, 'workspace_warm_pool_removals_total{reason="expired"}')).toMatch(/ 1$/);
    expect(await figure(metrics, 'workspace_warm_pool_creations_total{result="added"}')).toMatch(/ 1$/);
  });
});
