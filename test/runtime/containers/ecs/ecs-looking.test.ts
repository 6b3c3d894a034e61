import { describe, expect, it, vi } from 'vitest';
import { MemoryTaskStore } from '../../../../runtime/state/memory/memory-task-store.ts';
import { container } from '../../../contract/state/names.ts';
import type { StubContainer } from '../../../support/ecs-emulator/stub/stub-backing.ts';
import { healthyContainer, StubEcs } from './stub-ecs.ts';

const HOUR = 3_600_000;

/** Agents whose end the test decides about. */
function mortalAgents() {
  const exits = new Map<string, (code: number) => void>();
  return {
    startAgent(started: StubContainer) {
      if (started.container === 'workspace-agent') exits.set(started.taskArn, started.exit);
      return healthyContainer(started);
    },
    exit: (arn: string, code: number) => exits.get(arn)?.(code),
  };
}

describe('a look at a container on ECS', () => {
  it('shows one that runs', async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    await ecs.backend().create(spec);
    await vi.waitFor(() => expect(ecs.taskOf(spec.id).status).toBe('RUNNING'));

    const seen = { id: spec.id, role: 'conversation', engineId: ecs.taskOf(spec.id).arn, state: 'running' };
    expect(await ecs.backend().inspect(spec.id)).toMatchObject(seen);
    expect(await ecs.backend().list('conversation')).toMatchObject([seen]);
    expect(await ecs.backend().list('function')).toEqual([]);
  });

  it('shows how one ended by itself', async () => {
    const agents = mortalAgents();
    await using ecs = await StubEcs.start(agents);
    const spec = ecs.spec();
    const backend = ecs.backend();
    await backend.create(spec);
    agents.exit(ecs.taskOf(spec.id).arn, 3);
    await vi.waitFor(() => expect(ecs.taskOf(spec.id).status).toBe('STOPPED'));

    expect(await backend.inspect(spec.id)).toMatchObject({
      state: 'exited',
      exit: { code: 3, oomKilled: false },
    });
  });

  it('shows none that was stopped by us, also to an instance that did not stop it', async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    const [backend, other] = [ecs.backend(), ecs.backend()];
    await backend.create(spec);
    expect(await other.inspect(spec.id)).toBeDefined();
    await backend.destroy(spec.id);

    expect(await backend.inspect(spec.id)).toBeUndefined();
    expect(await other.inspect(spec.id)).toBeUndefined();
  });

  it('is not sure of one that ECS does not show any more', async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    const backend = ecs.backend();
    await backend.create(spec);
    ecs.emulator.stopFromOutside(ecs.taskOf(spec.id).arn);
    await vi.waitFor(() => expect(ecs.taskOf(spec.id).status).toBe('STOPPED'));
    ecs.emulator.clock.advance(HOUR + 1000);

    await expect(backend.inspect(spec.id)).rejects.toMatchObject({
      code: 'BACKEND_UNAVAILABLE',
      detail: expect.stringContaining(spec.id),
    });
  });

  it('is not taken in by lists that miss it, nor by descriptions that are late', async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    const backend = ecs.backend();
    await backend.create(spec);
    const { arn, attachment } = ecs.taskOf(spec.id);
    ecs.emulator.hideFromLists(arn, HOUR);
    expect(await backend.list('conversation')).toEqual([]);

    expect((await backend.inspect(spec.id))?.engineId).toBe(arn);
    expect((await ecs.backend().inspect(spec.id))?.engineId).toBe(arn);
    ecs.emulator.calls.clear();
    expect(await backend.endpoint(spec.id, 'agent')).toMatchObject({ host: attachment.address });
    expect(ecs.emulator.calls.all).toEqual([]);
    ecs.emulator.setLag({ describeMs: 60_000 });
    await expect(backend.inspect(spec.id)).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    ecs.emulator.setLag({ describeMs: 0 });
    expect((await backend.inspect(spec.id))?.engineId).toBe(arn);
  });

  it('finds what this instance has seen where the store was emptied and lists miss it', async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    const backend = ecs.backend();
    await backend.create(spec);
    const { arn } = ecs.taskOf(spec.id);
    ecs.emulator.hideFromLists(arn, HOUR);
    await ecs.tasks.forget(spec.id);
    expect(await backend.list('conversation')).toEqual([]);

    expect((await backend.inspect(spec.id))?.engineId).toBe(arn);
  });

  it('that many take at once is few calls', async () => {
    await using ecs = await StubEcs.start({ startAgent: () => undefined, rates: {} });
    const backend = ecs.backend();
    await ecs.runMany(120);
    const ids = Array.from({ length: 120 }, (_, n) => container(n));
    for (const [n, id] of ids.entries()) await ecs.tasks.put(id, { arn: ecs.emulator.tasks[n]?.arn ?? '' });
    ecs.emulator.calls.clear();
    await Promise.all(ids.map((id) => backend.inspect(id)));

    expect(ecs.emulator.calls.counts()).toEqual({ DescribeTasks: 2 });
  });

  it('fails where ECS does not answer', async () => {
    await using ecs = await StubEcs.start();
    const code = 'AccessDeniedException';
    ecs.emulator.faults.add({ operation: '*', kind: 'error', code, times: Infinity });
    const backend = ecs.backend();

    await expect(backend.inspect(container(1))).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await expect(backend.list('conversation')).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    await expect(backend.ping()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
  });
});

describe('the log of a container on ECS', () => {
  it('has its last lines, also after its end', async () => {
    await using ecs = await StubEcs.start({
      startAgent(started) {
        for (let n = 1; n <= 5; n += 1) started.log(`${started.container} ${n}`);
        return healthyContainer(started);
      },
    });
    const spec = ecs.spec();
    const backend = ecs.backend();
    await backend.create(spec);

    expect(await backend.logs(spec.id, { tail: 2 })).toBe('workspace-agent 4\nworkspace-agent 5\n');
    ecs.emulator.stopFromOutside(ecs.taskOf(spec.id).arn);
    await vi.waitFor(() => expect(ecs.taskOf(spec.id).status).toBe('STOPPED'));
    expect(await backend.logs(spec.id, { tail: 1 })).toBe('workspace-agent 5\n');
    await expect(backend.logs(container(1), { tail: 1 })).rejects.toMatchObject({
      code: 'CONTAINER_NOT_FOUND',
    });
  });
});

describe('destroying a container on ECS', () => {
  it('waits until its task has stopped', async () => {
    await using ecs = await StubEcs.start({ delays: { stopping: 300, deprovisioning: 300 } });
    const spec = ecs.spec();
    const backend = ecs.backend();
    await backend.create(spec);
    await backend.destroy(spec.id);

    expect(ecs.taskOf(spec.id)).toMatchObject({ status: 'STOPPED', stop: { stopCode: 'UserInitiated' } });
    expect(await ecs.tasks.get(spec.id)).toBeUndefined();
  });

  it('again, by anyone, or of one that never was, is fine', async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    const [backend, other] = [ecs.backend(), ecs.backend()];
    await backend.create(spec);
    await Promise.all([backend.destroy(spec.id), other.destroy(spec.id), backend.destroy(spec.id)]);
    await backend.destroy(spec.id);
    await backend.destroy(container(1));

    expect(ecs.emulator.tasks.map(({ status }) => status)).toEqual(['STOPPED']);
  });

  it('is fine for a task that ECS has forgotten', async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    const backend = ecs.backend();
    await backend.create(spec);
    ecs.emulator.stopFromOutside(ecs.taskOf(spec.id).arn);
    await vi.waitFor(() => expect(ecs.taskOf(spec.id).status).toBe('STOPPED'));
    ecs.emulator.clock.advance(HOUR + 1000);
    await backend.destroy(spec.id);

    expect(await ecs.tasks.get(spec.id)).toBeUndefined();
  });

  it('finds the task that nobody remembers', async () => {
    await using ecs = await StubEcs.start();
    const spec = ecs.spec();
    await ecs.backend().create(spec);
    await ecs.backend({ tasks: new MemoryTaskStore() }).destroy(spec.id);

    expect(ecs.taskOf(spec.id).status).toBe('STOPPED');
  });

  it('ends a creation that is under way, and its task with it', async () => {
    await using ecs = await StubEcs.start({ startAgent: () => undefined });
    const spec = ecs.spec();
    const backend = ecs.backend();
    const creation = expect(backend.create(spec)).rejects.toMatchObject({ code: 'CONTAINER_CREATE_FAILED' });
    await vi.waitFor(() => expect(ecs.taskOf(spec.id).status).toBe('RUNNING'));
    await backend.destroy(spec.id);
    await creation;

    expect(ecs.emulator.tasks.map(({ status }) => status)).toEqual(['STOPPED']);
  });
});
