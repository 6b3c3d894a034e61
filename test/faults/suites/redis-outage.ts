import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import type { ContainerPlace } from '../../support/container-place.ts';
import { CuttableRelay } from '../../support/cuttable-relay.ts';
import { RuntimeProcess } from '../../support/runtime-process.ts';
import { redis } from '../../support/services/provided.ts';
import { ready, start } from './started-runtime.ts';

/** What callers see while Redis is away, and after, on whatever place. */
export function redisIsAway(place: () => ContainerPlace): void {
  const shared = (url: string, installation: string) => ({
    REDIS_URL: url,
    REDIS_KEY_PREFIX: `${installation}:`,
    BERTH_SINGLE_INSTANCE: '1',
    BERTH_INSTALLATION: installation,
    BERTH_SECRET: randomBytes(32).toString('hex'),
  });

  it.each(['cut', 'freeze'] as const)(
    '%s off and back: 503 within 2 s, and it goes on by itself',
    async (how) => {
      const installation = `fault-${randomBytes(4).toString('hex')}`;
      const { hostname, port } = new URL(redis().url);
      await using relay = await CuttableRelay.open({ host: hostname, port: Number(port) });
      await using runtime = await start(place(), shared(`redis://127.0.0.1:${relay.port}`, installation));
      await runtime.exec('c', ['touch', 'kept']);
      relay[how]();
      const asked = performance.now();
      expect(await runtime.exec('c', ['true'])).toMatchObject({ status: 503, code: 'STORE_UNAVAILABLE' });
      expect(performance.now() - asked).toBeLessThan(2500);
      expect((await fetch(`${runtime.url}/health`)).status).toBe(200);
      expect((await fetch(`${runtime.url}/ready`)).status).toBe(503);
      // A load balancer has no reason to replace it: another one could not serve either.
      expect((await fetch(`${runtime.url}/ready?once=true`)).status).toBe(200);
      relay.restore();
      await ready(runtime);
      expect(await runtime.exec('c', ['ls'])).toMatchObject({ stdout: 'kept\n' });
      await place().removeAll(installation);
    },
  );

  it('that is away at the start is waited for', async () => {
    await using relay = await CuttableRelay.open({
      host: '127.0.0.1',
      port: Number(new URL(redis().url).port),
    });
    relay.cut();
    const installation = `fault-${randomBytes(4).toString('hex')}`;
    await using runtime = await RuntimeProcess.start({
      env: { ...place().env, ...shared(`redis://127.0.0.1:${relay.port}`, installation) },
    });
    expect((await fetch(`${runtime.url}/ready`)).status).toBe(503);
    expect((await fetch(`${runtime.url}/ready?once=true`)).status).toBe(503);
    relay.restore();
    await ready(runtime);
  });
}
