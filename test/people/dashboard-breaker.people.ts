import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { redisKeys } from '../../runtime/state/redis/redis-keys.ts';
import { eventually } from '../support/cluster.ts';
import { describeWith, redis } from '../support/services/provided.ts';
import { confirm, DashboardWorld, KEYS } from './dashboard-visit.ts';

const NAMES = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'];

describeWith(
  ['chromium', 'bubblewrap', 'docker', 'redis', 'workspace-base-image'],
  'the breaker in the dashboard',
  () => {
    const installation = `dash-${randomBytes(4).toString('hex')}`;
    const prefix = `${installation}:`;
    let world: DashboardWorld;
    let store: Redis;

    beforeAll(async () => {
      world = await DashboardWorld.start(installation, {
        REDIS_URL: redis().url,
        REDIS_KEY_PREFIX: prefix,
        BERTH_SECRET: randomBytes(32).toString('hex'),
        BERTH_SINGLE_INSTANCE: '1',
        GC_INTERVAL_SECONDS: '1',
        // Long enough for six containers to be made meanwhile.
        ORPHAN_GRACE_PERIOD_SECONDS: '20',
      });
      store = new Redis(redis().url);
    });
    afterAll(async () => {
      store.disconnect();
      await world[Symbol.asyncDispose]();
    });

    const use = (name: string) =>
      world.runtime.post(`/v1/conversations/${name}/exec`, { cmd: ['true'] }, { key: KEYS.acme });
    const containers = async (): Promise<string[]> => {
      const answer = await world.runtime.fetch('/v1/containers', { key: KEYS.ops });
      const shown = (await answer.json()) as { containers: { container_id: string }[] };
      return shown.containers.map(({ container_id }) => container_id);
    };

    /** As a store that was restored from an old copy would have it. */
    async function loseRecords(lost: readonly string[]): Promise<void> {
      const keys = redisKeys(prefix);
      const change = store.multi();
      for (const name of NAMES) change.del(`${keys.record}acme:${name}`).zrem(`${keys.tenant}acme`, name);
      for (const id of lost) change.del(`${keys.reverse}${id}`, `${keys.work}${id}`).zrem(keys.expiry, id);
      await change.exec();
    }

    it('is told first of all, and lets go what it holds once an operator has said so twice', async () => {
      const { page, faults } = await world.visit(KEYS.ops);
      for (const answer of await Promise.all(NAMES.map(use))) expect(answer.status).toBe(200);
      const orphans = await containers();
      expect(orphans).toHaveLength(NAMES.length);
      await loseRecords(orphans);
      for (const answer of await Promise.all(NAMES.map(use))) expect(answer.status).toBe(200);

      const problems = page.getByRole('list', { name: 'Problems' });
      await problems.getByText("The sweep's breaker holds 6").waitFor();
      await world.go(page, '#/operations');
      await page.getByText('The breaker holds 6 containers without an owner.').waitFor();
      await page.getByRole('button', { name: 'Release the breaker…' }).click();
      await page.keyboard.press('Escape');
      expect(await containers()).toEqual(expect.arrayContaining(orphans));
      await page.getByRole('button', { name: 'Release the breaker…' }).click();
      await confirm(page, 'Release it');
      await page.getByText('The sweep is through.').waitFor();
      await page.getByText('The breaker is closed.').waitFor();
      await eventually(async () => {
        const left = await containers();
        expect(left).toHaveLength(NAMES.length);
        for (const id of orphans) expect(left).not.toContain(id);
      });
      for (const answer of await Promise.all(NAMES.map(use))) expect(answer.status).toBe(200);
      expect(faults).toEqual([]);
    });
  },
);
