import { describe, expect, it } from 'vitest';
import { CallParts, definitionOf, never } from '../calls/call-parts.ts';

describe('the pools of functions', () => {
  it('are not forgotten while somebody asks for a worker: it would be ended for a definition that nobody knows', async () => {
    await using parts = new CallParts(() => (_, response) => response.end());
    const definition = definitionOf();
    const pool = parts.pools.of(definition.of);
    await pool.release(await pool.acquire(definition, never));

    const acquiring = pool.acquire(definition, never);
    parts.pools.tidy();
    const leased = await acquiring;
    parts.pools.tidy();
    await parts.pools.of(definition.of).release(leased);

    expect(await parts.states()).toEqual(['idle']);
    expect(parts.backend.created).toEqual([leased.worker]);
    parts.pools.tidy();
    expect(parts.pools.of(definition.of)).not.toBe(pool);
  });
});
