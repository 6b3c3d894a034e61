import { describe, expect, it } from 'vitest';
import { loadConfig, warmPoolSizes } from '../../../runtime/contracts/load-config.ts';

describe('the variables of the warm pool', () => {
  it('have the defaults of the contract', () => {
    const loaded = loadConfig({});
    expect(loaded).toMatchObject({ ok: true, config: { WARM_POOL_TTL_SECONDS: 1800 } });
    if (!loaded.ok) return;
    expect(warmPoolSizes(loaded.config, 'docker')).toEqual({ min: 2, max: 10, parallel: 4 });
    expect(warmPoolSizes(loaded.config, 'ecs')).toEqual({ min: 50, max: 120, parallel: 50 });
  });

  it('may name no pool at all', () => {
    expect(loadConfig({ WARM_POOL_MIN_SIZE: '0', WARM_POOL_MAX_SIZE: '0' })).toMatchObject({ ok: true });
  });

  it('refuse a minimum above the maximum, also where one is a default', () => {
    expect(loadConfig({ WARM_POOL_MIN_SIZE: '11' })).toEqual({
      ok: false,
      problems: [
        'WARM_POOL_MIN_SIZE is 11, more than WARM_POOL_MAX_SIZE, which is 10: set both (0 and 0: no pool)',
      ],
    });
    expect(loadConfig({ WARM_POOL_MAX_SIZE: '1' })).toMatchObject({ ok: false });
    expect(loadConfig({ WARM_POOL_MAX_SIZE: '2' })).toMatchObject({ ok: true });
  });
});
