import { describe, expect, it, vi } from 'vitest';
import { CAPACITY_UNAVAILABLE } from '../../../support/ecs-emulator/api/faults.ts';
import { StubEcs } from './stub-ecs.ts';

describe('a task that ends before its agent answers', () => {
  const LONG = { agentReadySeconds: 25, addressSeconds: 25 };

  it('is told with its end and its last lines, at the next look', async () => {
    await using ecs = await StubEcs.start({
      startAgent({ container, log, exit }) {
        if (container !== 'workspace-agent') return undefined;
        log('AGENT_TOKEN is required');
        exit(2);
        return undefined;
      },
    });
    const spec = ecs.spec();

    await expect(ecs.backend({ ...LONG, pollSeconds: 0.4 }).create(spec)).rejects.toMatchObject({
      code: 'CONTAINER_CREATE_FAILED',
      detail: expect.stringMatching(
        /workspace-agent ended with exit code 2\b.*EssentialContainerExited.*: AGENT_TOKEN is required/,
      ),
    });
    // The look that saw it end, and one that saw how.
    expect(ecs.emulator.calls.count('DescribeTasks')).toBeLessThanOrEqual(2);
    expect(ecs.emulator.calls.count('RunTask')).toBe(1);
  });

  it('is told as soon when it had its address already', async () => {
    const exits: (() => void)[] = [];
    await using ecs = await StubEcs.start({
      startAgent({ container, log, exit }) {
        log(`a line of ${container}`);
        if (container === 'workspace-agent') exits.push(() => exit(7));
        return undefined;
      },
    });
    const spec = ecs.spec();
    const creation = ecs.backend({ ...LONG, pollSeconds: 0.3 }).create(spec);
    const failure = expect(creation).rejects.toMatchObject({
      code: 'CONTAINER_CREATE_FAILED',
      detail: expect.stringMatching(/exit code 7\b.*: a line of workspace-agent/s),
    });
    await vi.waitFor(async () => expect((await ecs.tasks.get(spec.id))?.address).toBeDefined());
    ecs.emulator.calls.clear();
    for (const exit of exits) exit();
    await failure;

    expect(ecs.emulator.calls.count('DescribeTasks')).toBeLessThanOrEqual(2);
  });

  it('is told with what ECS says of it', async () => {
    await using ecs = await StubEcs.start({ startAgent: () => undefined });
    const spec = ecs.spec();
    const creation = ecs.backend(LONG).create(spec);
    const failure = expect(creation).rejects.toMatchObject({
      code: 'CONTAINER_CREATE_FAILED',
      detail: expect.stringContaining('SpotInterruption: Your Spot Task was interrupted.'),
    });
    await vi.waitFor(() => expect(ecs.taskOf(spec.id).status).toBe('RUNNING'));
    ecs.emulator.stopFromOutside(ecs.taskOf(spec.id).arn);
    await failure;
  });

  it.each([
    ['CannotPullContainerError: no such image', 'IMAGE_PULL_FAILED'],
    [CAPACITY_UNAVAILABLE, 'CAPACITY_EXCEEDED'],
    ['ResourceInitializationError: no network', 'CONTAINER_CREATE_FAILED'],
  ])('is told by its reason: %s is %s', async (reason, code) => {
    await using ecs = await StubEcs.start({ delays: { pending: 60_000 } });
    const spec = ecs.spec();
    const failure = expect(ecs.backend(LONG).create(spec)).rejects.toMatchObject({
      code,
      detail: expect.stringContaining(reason),
    });
    await vi.waitFor(() => expect(ecs.taskOf(spec.id).status).toBe('PENDING'));
    ecs.emulator.stopFromOutside(ecs.taskOf(spec.id).arn, { stopCode: 'TaskFailedToStart', reason });
    await failure;
  });
});
