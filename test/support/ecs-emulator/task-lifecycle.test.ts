import { type Task as DescribedTask, DescribeTasksCommand, StopTaskCommand } from '@aws-sdk/client-ecs';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { must } from '../must.ts';
import { ArrangedEmulator, CLUSTER, refusal } from './arranged-emulator.ts';
import type { EmulatorOptions } from './ecs-emulator.ts';
import { type StubContainer, stubBacking } from './stub/stub-backing.ts';
import type { Task } from './tasks/task.ts';
import { FARGATE_DELAYS } from './tasks/task-delays.ts';
import { TASK_STATUSES } from './tasks/task-status.ts';

let arranged: ArrangedEmulator;
const begin = async (options?: Partial<EmulatorOptions>): Promise<void> => {
  arranged = await ArrangedEmulator.start(options);
};
afterEach(() => arranged[Symbol.asyncDispose]());

const stop = (task: string, reason?: string) =>
  arranged.ecs.send(new StopTaskCommand({ cluster: CLUSTER, task, ...(reason ? { reason } : {}) }));
const details = ({ attachments }: DescribedTask) =>
  Object.fromEntries((attachments?.[0]?.details ?? []).map(({ name, value }) => [name, value]));

// "Amazon ECS task lifecycle".
describe('a task', () => {
  it('goes through all statuses in their order', async () => {
    const seen = new Set<string>();
    await begin({ onTask: ({ status }) => void seen.add(status) });
    await arranged.register();
    const arn = await arranged.run();
    await arranged.reached(arn, 'RUNNING');
    await stop(arn);
    await arranged.reached(arn, 'STOPPED');
    expect([...seen]).toEqual(TASK_STATUSES);
  });

  it('takes as long as on Fargate where it is told to, by the clock of the emulator', async () => {
    const times = new Map<string, number>();
    const note = ({ status }: Task): void => void times.set(status, arranged?.emulator.clock.now() ?? 0);
    await begin({ speed: 500, delays: FARGATE_DELAYS, onTask: note });
    await arranged.register();
    const asked = arranged.emulator.clock.now();
    const arn = await arranged.run();
    await arranged.reached(arn, 'RUNNING');
    const took = must(times.get('RUNNING')) - asked;
    expect(took).toBeGreaterThanOrEqual(30_000);
  });

  // API_Task, attachments; API_NetworkInterface.
  it('has an address only once its network interface is attached', async () => {
    await begin({ delays: { provisioning: 60_000, pending: 60_000 } });
    await arranged.register();
    const arn = await arranged.run();
    const before = await arranged.describe(arn);
    expect(before).toMatchObject({ lastStatus: 'PROVISIONING', attachments: [{ status: 'PRECREATED' }] });
    expect(before.containers?.[0]?.networkInterfaces).toEqual([]);
    expect(Object.keys(details(before))).toEqual(['subnetId']);
    arranged.emulator.clock.advance(60_000);
    const after = await arranged.reached(arn, 'PENDING');
    const { privateIPv4Address: address, networkInterfaceId } = details(after);
    expect(address).toMatch(/^127\.\d+\.\d+\.\d+$/);
    expect(networkInterfaceId).toMatch(/^eni-[0-9a-f]{17}$/);
    expect(after.attachments?.[0]).toMatchObject({ type: 'ElasticNetworkInterface', status: 'ATTACHED' });
    expect(after.containers?.[0]?.networkInterfaces).toMatchObject([{ privateIpv4Address: address }]);
  });

  it('can be left without its address: in PROVISIONING, or running', async () => {
    await begin();
    await arranged.register();
    arranged.emulator.withholdAddress();
    const never = await arranged.run();
    const after = await arranged.run();
    await arranged.reached(after, 'RUNNING');
    expect(await arranged.describe(never)).toMatchObject({ lastStatus: 'PROVISIONING' });
    await stop(never);
    expect(await arranged.reached(never, 'STOPPED')).toMatchObject({ stopCode: 'UserInitiated' });
    arranged.emulator.withholdAddress({ runs: true });
    const unseen = await arranged.reached(await arranged.run(), 'RUNNING');
    expect(Object.keys(details(unseen))).toEqual(['subnetId']);
  });

  it('gets another address than the last one that stopped, unless told otherwise', async () => {
    await begin();
    await arranged.register();
    const addressOfNext = async (): Promise<string | undefined> => {
      const arn = await arranged.run();
      const { privateIPv4Address: address } = details(await arranged.reached(arn, 'RUNNING'));
      await stop(arn);
      await arranged.reached(arn, 'STOPPED');
      return address;
    };
    const first = await addressOfNext();
    const second = await addressOfNext();
    expect(second).not.toBe(first);
    arranged.emulator.reuseAddresses();
    expect(await addressOfNext()).toBe(second);
  });
});

// API_StopTask.
describe('StopTask', () => {
  it('gives the reason, and says the same however often it is called', async () => {
    await begin({ delays: { deprovisioning: 60_000 } });
    await arranged.register();
    const arn = await arranged.run();
    await arranged.reached(arn, 'RUNNING');
    const { task } = await stop(arn, 'conversation ended');
    expect(task).toMatchObject({ desiredStatus: 'STOPPED', stoppedReason: 'conversation ended' });
    expect((await stop(arn, 'another')).task?.stoppedReason).toBe('conversation ended');
    await arranged.reached(arn, 'DEPROVISIONING');
    arranged.emulator.clock.advance(60_000);
    expect(await arranged.reached(arn, 'STOPPED')).toMatchObject({
      stopCode: 'UserInitiated',
      stoppedReason: 'conversation ended',
      stoppedAt: expect.any(Date),
      attachments: [{ status: 'DELETED' }],
    });
    expect((await stop(arn)).task?.lastStatus).toBe('STOPPED');
  });

  it('ends a task that has not started yet', async () => {
    const startAgent = vi.fn(() => undefined);
    await begin({ backing: stubBacking({ startAgent }), delays: { pending: 60_000 } });
    await arranged.register();
    const arn = await arranged.run();
    await arranged.reached(arn, 'PENDING');
    await stop(arn);
    const { containers } = await arranged.reached(arn, 'STOPPED');
    expect(containers).toMatchObject([{ lastStatus: 'STOPPED' }]);
    expect(startAgent).not.toHaveBeenCalled();
  });

  it('answers a task that is not there with InvalidParameterException', async () => {
    await begin();
    expect(await refusal(stop('f'.repeat(32)))).toMatchObject({
      name: 'InvalidParameterException',
      message: 'The referenced task was not found.',
    });
    const elsewhere = new StopTaskCommand({ cluster: 'other', task: 'f'.repeat(32) });
    expect((await refusal(arranged.ecs.send(elsewhere))).name).toBe('ClusterNotFoundException');
  });
});

// API_ContainerDefinition, essential: "all other containers that are part of the task are stopped."
describe('a container that ends', () => {
  const twoContainers = {
    containerDefinitions: [
      { name: 'app', image: 'app' },
      { name: 'helper', image: 'helper', essential: false },
    ],
  };
  const exits = new Map<string, StubContainer['exit']>();
  const backing = stubBacking({
    startAgent: ({ container, exit }) => {
      exits.set(container, exit);
      return undefined;
    },
  });

  it('takes its task down where it is essential', async () => {
    await begin({ backing });
    await arranged.register(twoContainers);
    const arn = await arranged.run();
    await arranged.reached(arn, 'RUNNING');
    exits.get('app')?.(3);
    expect(await arranged.reached(arn, 'STOPPED')).toMatchObject({
      stopCode: 'EssentialContainerExited',
      stoppedReason: 'Essential container in task exited',
      containers: [
        { name: 'app', exitCode: 3 },
        { name: 'helper', exitCode: 143 },
      ],
    });
  });

  it('leaves its task running where it is not', async () => {
    await begin({ backing });
    await arranged.register(twoContainers);
    const arn = await arranged.run();
    await arranged.reached(arn, 'RUNNING');
    await arranged.emulator.killContainer(arn, 'helper');
    await vi.waitFor(async () =>
      expect(await arranged.describe(arn)).toMatchObject({
        lastStatus: 'RUNNING',
        containers: [{ lastStatus: 'RUNNING' }, { lastStatus: 'STOPPED', exitCode: 137 }],
      }),
    );
  });

  it('is told with the reason of whoever stops tasks from outside', async () => {
    await begin({ backing });
    await arranged.register();
    const arn = await arranged.run();
    await arranged.reached(arn, 'RUNNING');
    arranged.emulator.stopFromOutside(arn, {
      stopCode: 'SpotInterruption',
      reason: 'Your Spot Task was interrupted.',
    });
    expect(await arranged.reached(arn, 'STOPPED')).toMatchObject({ stopCode: 'SpotInterruption' });
  });

  it('that could not start makes the task fail: TaskFailedToStart', async () => {
    const failing = stubBacking({ startAgent: () => Promise.reject(new Error('no such program')) });
    await begin({ backing: failing });
    await arranged.register();
    const task = await arranged.reached(await arranged.run(), 'STOPPED');
    expect(task).toMatchObject({ stopCode: 'TaskFailedToStart', containers: [{ lastStatus: 'STOPPED' }] });
    expect(task.stoppedReason).toContain('no such program');
    expect(task.containers?.[0]?.reason).toContain('no such program');
  });
});

describe('closing the emulator', () => {
  it('ends its tasks without waiting for delays', async () => {
    const ended: string[] = [];
    const backing = stubBacking({
      startAgent: ({ container }) => ({ [Symbol.asyncDispose]: async () => void ended.push(container) }),
    });
    await begin({ backing, delays: { deprovisioning: 600_000 } });
    await arranged.register();
    await arranged.reached(await arranged.run(), 'RUNNING');
    await arranged.emulator.close();
    expect(ended).toEqual(['app']);
    await expect(
      arranged.ecs.send(new DescribeTasksCommand({ cluster: CLUSTER, tasks: ['f'.repeat(32)] })),
    ).rejects.toThrow();
  });
});
