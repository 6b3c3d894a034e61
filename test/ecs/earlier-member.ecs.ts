import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, shownContainers } from '../support/cluster.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { NO_DELAYS } from '../support/ecs-emulator/tasks/task-delays.ts';
import { must } from '../support/must.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith } from '../support/services/provided.ts';
import { taskOf } from './ecs-cluster.ts';
import { ecsEnv, liveTasks, startEcs } from './ecs-on-docker.ts';

/** Longer than a member takes on a busy machine. */
const SLOW_MS = 40_000;

describeWith(
  ['docker', 'workspace-base-image', 'proxy-sidecar-image'],
  'a claim that finds the pool empty',
  () => {
    let emulator: EcsEmulator;
    let runtime: RuntimeProcess;
    beforeAll(async () => {
      emulator = await startEcs();
      runtime = await RuntimeProcess.start({ env: ecsEnv(emulator) });
    });
    afterAll(async () => {
      await runtime[Symbol.asyncDispose]();
      await emulator[Symbol.asyncDispose]();
    });

    it('takes the member that comes before its own task, which the pool takes instead', async () => {
      emulator.setDelays({ pending: SLOW_MS });
      const claimed = runtime.exec('early', ['echo', 'there']);
      const own = await eventually(() => must(liveTasks(emulator)[0]));

      emulator.setDelays(NO_DELAYS);
      const configured = await runtime.fetch('/v1/warm-pool', {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ min_size: 1, max_size: 1 }),
      });
      expect(configured.status).toBe(200);
      expect(await claimed).toMatchObject({ stdout: 'there\n' });
      expect(own.status).not.toBe('RUNNING');
      const taken = await taskOf(emulator, runtime, 'early');
      expect(taken.arn).not.toBe(own.arn);
      expect([...own.tags.keys()].filter((key) => /conversation_id|tenant/.test(key))).toEqual([]);

      // What was its own is the pool's, and serves the next.
      await eventually(
        async () => expect((await shownContainers(runtime)).map(({ owner }) => owner)).toContain('warm'),
        100,
      );
      expect(emulator.tasks).toHaveLength(2);
      expect(await runtime.exec('next', ['echo', 'again'])).toMatchObject({ stdout: 'again\n' });
      expect((await taskOf(emulator, runtime, 'next')).arn).toBe(own.arn);
    });
  },
);
