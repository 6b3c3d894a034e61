import { afterEach, describe, expect, it, vi } from 'vitest';
import { MemoryTaskStore } from '../../../../runtime/state/memory/memory-task-store.ts';
import { container } from '../../../contract/state/names.ts';
import { StubEcs } from './stub-ecs.ts';

afterEach(() => vi.restoreAllMocks());

/** Byte for byte: keys and lists are in the order in which they came. */
function expectOneRequest({ emulator }: StubEcs): void {
  expect(new Set(emulator.calls.of('RunTask').map(({ input }) => JSON.stringify(input))).size).toBe(1);
}

describe('where a task is dialled', () => {
  it("is known of another instance's without a call to ECS", async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    await ecs.backend().create(spec);
    const other = ecs.backend();
    ecs.emulator.calls.clear();

    const host = ecs.taskOf(spec.id).attachment.address;
    expect(await other.endpoint(spec.id, 'agent')).toEqual({ kind: 'address', host, port: 9000 });
    expect(await other.endpoint(spec.id, 'proxy')).toEqual({ kind: 'address', host, port: 8081 });
    expect(await other.endpoint(spec.id, 3000)).toEqual({ kind: 'address', host, port: 3000 });
    expect(ecs.emulator.calls.all).toEqual([]);
  });

  it('is found by its name where nobody remembers it, once for all instances', async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    await ecs.backend().create(spec);
    await ecs.tasks.forget(spec.id);
    const other = ecs.backend();
    ecs.emulator.calls.clear();

    const host = ecs.taskOf(spec.id).attachment.address;
    expect(await other.endpoint(spec.id, 'agent')).toMatchObject({ host });
    expect(await other.endpoint(spec.id, 'proxy')).toMatchObject({ host });
    expect(await ecs.backend().endpoint(spec.id, 'agent')).toMatchObject({ host });
    expect(ecs.emulator.calls.counts()).toEqual({ ListTasks: 1, DescribeTasks: 1 });
    expect(ecs.emulator.calls.of('ListTasks')[0]?.input).toMatchObject({ startedBy: `berth/${spec.id}` });
  });

  it('is nowhere for a container that is not there', async () => {
    await using ecs = await StubEcs.start();

    await expect(ecs.backend().endpoint(container(1), 'agent')).rejects.toMatchObject({
      code: 'CONTAINER_NOT_FOUND',
    });
    expect(ecs.emulator.calls.counts()).toEqual({ ListTasks: 1 });
  });

  it("is nowhere for a container of another installation's", async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    await ecs.backend({ installation: 'theirs' }).create(spec);
    const ours = ecs.backend({ tasks: new MemoryTaskStore() });

    await expect(ours.endpoint(spec.id, 'agent')).rejects.toMatchObject({ code: 'CONTAINER_NOT_FOUND' });
    expect(await ours.inspect(spec.id)).toBeUndefined();
    expect(await ours.list('conversation')).toEqual([]);
    await ours.destroy(spec.id);
    expect(ecs.taskOf(spec.id).stop).toBeUndefined();
  });
});

describe('a container that is made a second time', () => {
  it('by an instance that is told of the task is the same task', async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    await ecs.backend().create(spec);
    await ecs.backend().create(spec);

    expect(ecs.emulator.tasks).toHaveLength(1);
    expect(ecs.emulator.calls.count('RunTask')).toBe(1);
  });

  it('by an instance that nobody has told is the same task', async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    await ecs.backend().create(spec);
    const other = ecs.backend({ tasks: new MemoryTaskStore() });
    await other.create(spec);

    expect(ecs.emulator.tasks).toHaveLength(1);
    expect(ecs.emulator.calls.of('RunTask')).toMatchObject([{ status: 200 }, { status: 200 }]);
    expectOneRequest(ecs);
    expect((await other.inspect(spec.id))?.engineId).toBe(ecs.taskOf(spec.id).arn);
  });

  it('by an instance of another version, that nobody has told, is the same task', async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    await ecs.backend().create(spec);
    const other = ecs.backend({ tasks: new MemoryTaskStore(), version: '1.2.4' });
    await other.create(spec);

    expect(ecs.emulator.tasks).toHaveLength(1);
    expect(ecs.emulator.calls.of('RunTask')).toMatchObject([{ status: 200 }, { error: 'ConflictException' }]);
    expect((await other.inspect(spec.id))?.engineId).toBe(ecs.taskOf(spec.id).arn);
  });

  it('by two instances at once is the same task', async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    await Promise.all([ecs.backend().create(spec), ecs.backend().create(spec)]);

    expect(ecs.emulator.tasks).toHaveLength(1);
  });

  it('after RunTask answered 500 and had started it is the same task', async () => {
    await using ecs = await StubEcs.start();
    vi.spyOn(Math, 'random').mockReturnValue(0.05);
    ecs.emulator.faults.add({ operation: 'RunTask', kind: 'errorAfter' });
    await ecs.backend().create(ecs.spec());

    expect(ecs.emulator.calls.count('RunTask')).toBe(2);
    expect(ecs.emulator.tasks).toHaveLength(1);
    expectOneRequest(ecs);
  });

  it.each(['told', 'not told'])('after its task has ended is another task (%s)', async (told) => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    await ecs.backend().create(spec);
    const first = ecs.taskOf(spec.id);
    ecs.emulator.stopFromOutside(first.arn);
    await vi.waitFor(() => expect(first.status).toBe('STOPPED'));
    const other = ecs.backend(told === 'told' ? {} : { tasks: new MemoryTaskStore() });
    await other.create(spec);

    expect(ecs.emulator.tasks).toHaveLength(2);
    const second = ecs.taskOf(spec.id);
    expect(second.stop).toBeUndefined();
    expect(await other.inspect(spec.id)).toMatchObject({ engineId: second.arn, state: 'running' });
    expect(await other.endpoint(spec.id, 'agent')).toMatchObject({ host: second.attachment.address });
  });

  it('under the name of a task of another installation is refused, and that task left alone', async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    await ecs.backend({ installation: 'theirs' }).create(spec);
    const ours = ecs.backend({ tasks: new MemoryTaskStore() });

    await expect(ours.create(spec)).rejects.toMatchObject({
      code: 'CONTAINER_CREATE_FAILED',
      detail: expect.stringContaining('belongs to installation theirs'),
    });
    expect(ecs.taskOf(spec.id).stop).toBeUndefined();
  });
});
