import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ecsCluster, taskOf } from '../ecs/ecs-cluster.ts';
import { liveTasks, startEcs } from '../ecs/ecs-on-docker.ts';
import { eventually, shownContainers } from '../support/cluster.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import type { PrivateRedis } from '../support/services/private-redis.ts';
import { describeWith, redis, startRedis } from '../support/services/provided.ts';

const TASKS = 20;

describeWith(
  ['docker', 'redis', 'redis-server', 's3', 'workspace-base-image', 'proxy-sidecar-image'],
  'when a runtime, or what it knows, is lost',
  () => {
    let emulator: EcsEmulator;
    let onTask = () => {};
    let own: PrivateRedis;
    beforeAll(async () => {
      emulator = await startEcs({ onTask: () => onTask() });
      own = await startRedis();
    });
    afterAll(async () => {
      await own.stop();
      await emulator[Symbol.asyncDispose]();
    });

    it('killed between RunTask and its record: no task lives unowned past the sweep, and none that is owned is stopped', async () => {
      await using cluster = ecsCluster(redis().url, emulator);
      const doomed = await cluster.start();
      await doomed.exec('owned', ['touch', 'kept']);
      const owned = await taskOf(emulator, doomed, 'owned');
      const before = new Set(liveTasks(emulator));
      onTask = () => doomed.child.kill('SIGKILL');
      await expect(doomed.exec('lost', ['true'])).rejects.toThrow();
      onTask = () => {};
      const left = liveTasks(emulator).filter((task) => !before.has(task));
      expect(left).toHaveLength(1);
      const next = await cluster.start();
      await eventually(() => expect(liveTasks(emulator)).toEqual([owned]), 90);
      expect(await next.exec('owned', ['ls'])).toMatchObject({ stdout: 'kept\n' });
      expect((await taskOf(emulator, next, 'owned')).arn).toBe(owned.arn);
    }, 180_000);

    it(`an emptied Redis with ${TASKS} tasks live: all are adopted by their tickets`, async () => {
      await using cluster = ecsCluster(own.url, emulator);
      const runtime = await cluster.start();
      const names = Array.from({ length: TASKS }, (_, at) => `c${at}`);
      for (let at = 0; at < TASKS; at += 5) {
        await Promise.all(names.slice(at, at + 5).map((name) => runtime.exec(name, ['touch', name])));
      }
      const arns = liveTasks(emulator).map(({ arn }) => arn);
      expect(arns.length).toBeGreaterThanOrEqual(TASKS);
      const client = new Redis(own.url);
      await client.flushall();
      client.disconnect();
      for (const name of names)
        expect(await runtime.exec(name, ['ls'])).toMatchObject({ stdout: `${name}\n` });
      expect(liveTasks(emulator).map(({ arn }) => arn)).toEqual(arns);
      const shown = await shownContainers(runtime);
      expect(shown.filter(({ owner }) => typeof owner === 'object' && owner !== null)).toHaveLength(TASKS);
    }, 180_000);
  },
);
