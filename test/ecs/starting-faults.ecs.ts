import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/cluster.ts';
import { CAPACITY_UNAVAILABLE } from '../support/ecs-emulator/api/faults.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith } from '../support/services/provided.ts';
import { ecsEnv, FAMILY, liveTasks, registerWorkspace, startEcs } from './ecs-on-docker.ts';

/** Of a task whose agent does not stay. */
const BROKEN = `${FAMILY}:2`;
/** Of one that is told soon what does not come. */
const IMPATIENT = { ECS_ADDRESS_SECONDS: '5' };

describeWith(
  ['docker', 'workspace-base-image', 'proxy-sidecar-image'],
  'when ECS has trouble starting tasks',
  () => {
    let emulator: EcsEmulator;
    let runtime: RuntimeProcess;
    beforeAll(async () => {
      emulator = await startEcs();
      await registerWorkspace(emulator, {
        command: ['sh', '-c', 'echo looking around; echo it has no bed; exit 3'],
      });
      await registerWorkspace(emulator); // the family's name means the last
      runtime = await RuntimeProcess.start({ env: ecsEnv(emulator) });
    });
    afterEach(() => emulator.faults.clear());
    afterAll(async () => {
      await runtime[Symbol.asyncDispose]();
      await emulator[Symbol.asyncDispose]();
    });

    const tasksSince = (before: number) => emulator.tasks.slice(before);

    it.each(['errorAfter', 'dropAfter'] as const)(
      'an answer that is lost after the task was started (%s): it is the same task',
      async (kind) => {
        const before = emulator.tasks.length;
        emulator.calls.clear();
        emulator.faults.add({ operation: 'RunTask', kind });
        expect(await runtime.exec(kind, ['echo', 'there'])).toMatchObject({ stdout: 'there\n' });
        expect(emulator.calls.count('RunTask')).toBe(2);
        expect(tasksSince(before)).toHaveLength(1);
      },
    );

    it('throttled for a minute: it waits its turn, and nothing is started twice', async () => {
      const before = emulator.tasks.length;
      emulator.calls.clear();
      emulator.faults.add({
        operation: 'RunTask',
        kind: 'throttle',
        times: Number.POSITIVE_INFINITY,
        forMs: 60_000,
      });
      expect(await runtime.exec('throttled', ['echo', 'there'])).toMatchObject({ stdout: 'there\n' });
      expect(tasksSince(before)).toHaveLength(1);
      // Growing pauses: neither a storm nor a sleep.
      expect(emulator.calls.count('RunTask')).toBeGreaterThan(4);
      expect(emulator.calls.count('RunTask')).toBeLessThan(40);
    });

    describe.each(['RESOURCE:ENI', CAPACITY_UNAVAILABLE])('no capacity (%s)', (reason) => {
      it('for a moment: tried again', async () => {
        emulator.faults.add({ operation: 'RunTask', kind: 'failures', reason, times: 2 });
        expect(await runtime.exec(`short-${reason.length}`, ['echo', 'there'])).toMatchObject({
          stdout: 'there\n',
        });
      });

      it('that stays: told as such, and nothing is left', async () => {
        const before = liveTasks(emulator).length;
        emulator.faults.add({
          operation: 'RunTask',
          kind: 'failures',
          reason,
          times: Number.POSITIVE_INFINITY,
        });
        expect(await runtime.exec(`long-${reason.length}`, ['true'])).toMatchObject({
          status: 429,
          code: 'CAPACITY_EXCEEDED',
          detail: expect.stringContaining(reason),
        });
        expect(liveTasks(emulator)).toHaveLength(before);
      });
    });

    it('an API that answers 500 to everything: BACKEND_UNAVAILABLE, and it goes on by itself', async () => {
      await using impatient = await RuntimeProcess.start({
        env: { ...ecsEnv(emulator), ...IMPATIENT },
      });
      await runtime.exec('lives', ['touch', 'kept']);
      emulator.faults.add({
        operation: '*',
        kind: 'error',
        code: 'ServerException',
        status: 500,
        times: Number.POSITIVE_INFINITY,
      });
      const refused = impatient.exec('new', ['true']);
      // Conversations that have their container are served meanwhile.
      expect(await runtime.exec('lives', ['ls'])).toMatchObject({ stdout: 'kept\n' });
      expect((await fetch(`${runtime.url}/ready`)).status).toBe(503);
      expect(await refused).toMatchObject({ status: 503, code: 'BACKEND_UNAVAILABLE' });
      emulator.faults.clear();
      expect(await impatient.exec('new', ['echo', 'there'])).toMatchObject({ stdout: 'there\n' });
      expect(await runtime.exec('after', ['echo', 'there'])).toMatchObject({ stdout: 'there\n' });
    });

    it('a task that dies before its agent answers: told with its reason, and stopped', async () => {
      const doomed = runtime.exec('early', ['true']);
      await expect
        .poll(() => liveTasks(emulator).find(({ status }) => status === 'PROVISIONING'))
        .toBeDefined();
      const task = liveTasks(emulator).find(({ status }) => status === 'PROVISIONING');
      emulator.stopFromOutside(task?.arn ?? '', {
        stopCode: 'TaskFailedToStart',
        reason: 'ResourceInitializationError: it broke',
      });
      expect(await doomed).toMatchObject({
        code: 'CONTAINER_CREATE_FAILED',
        detail: expect.stringContaining('ResourceInitializationError: it broke'),
      });
      expect(await runtime.exec('early', ['echo', 'there'])).toMatchObject({ stdout: 'there\n' });
    });

    it('a task whose agent ends by itself before it answers: told with its last lines, and its place is free again', async () => {
      await using broken = await RuntimeProcess.start({
        env: { ...ecsEnv(emulator), ECS_TASK_DEFINITION: BROKEN, MAX_CONTAINERS: '1' },
      });
      const before = emulator.tasks.length;
      const told = {
        status: 502,
        code: 'CONTAINER_CREATE_FAILED',
        detail: expect.stringMatching(
          /workspace-agent ended with exit code 3\b.*EssentialContainerExited.*: looking around\nit has no bed$/s,
        ),
      };
      expect(await broken.exec('first', ['true'])).toMatchObject(told);
      expect(tasksSince(before)).toMatchObject([{ status: 'STOPPED' }]);
      await eventually(async () => expect(await broken.exec('second', ['true'])).toMatchObject(told));
    });

    it('a task that never gets an address: START_TIMEOUT, it is stopped, and its place is free again', async () => {
      await using impatient = await RuntimeProcess.start({
        env: { ...ecsEnv(emulator), ...IMPATIENT, MAX_CONTAINERS: '1' },
      });
      const before = emulator.tasks.length;
      emulator.withholdAddress();
      expect(await impatient.exec('nowhere', ['true'])).toMatchObject({
        status: 504,
        code: 'START_TIMEOUT',
        detail: expect.stringContaining('the task has no address within 5 s'),
      });
      const [task] = tasksSince(before);
      expect(task?.stop).toMatchObject({ stopCode: 'UserInitiated' });
      await eventually(async () => {
        expect(await impatient.exec('nowhere', ['echo', 'there'])).toMatchObject({ stdout: 'there\n' });
      });
      expect(task?.status).toBe('STOPPED');
    });
  },
);
