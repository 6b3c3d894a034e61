import type { Task } from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { addressOf, isEnding, taskView, whyEnded } from '../../../../runtime/containers/ecs/task-view.ts';
import { LABEL } from '../../../../runtime/contracts/labels.ts';
import { container } from '../../../contract/state/names.ts';

const CREATED = '2026-05-01T10:00:00.000Z';

/** A task of ours as ECS describes it. */
function task(changes: Partial<Task> = {}): Task {
  return {
    taskArn: 'arn:aws:ecs:us-east-1:123456789012:task/berth/0123',
    startedBy: `berth/${container(1)}`,
    lastStatus: 'RUNNING',
    desiredStatus: 'RUNNING',
    tags: [
      { key: LABEL.installation, value: 'ours' },
      { key: LABEL.role, value: 'conversation' },
      { key: LABEL.createdAt, value: CREATED },
    ],
    ...changes,
  };
}

const stopped = (agent: { exitCode?: number; reason?: string }): Task =>
  task({
    lastStatus: 'STOPPED',
    desiredStatus: 'STOPPED',
    stopCode: 'EssentialContainerExited',
    stoppedReason: 'Essential container in task exited',
    containers: [
      { name: 'proxy-sidecar', exitCode: 143 },
      { name: 'workspace-agent', ...agent },
    ],
  });

describe('a task as a container', () => {
  it('has its own id, the labels of its tags, and the time of its label', () => {
    expect(taskView(task(), 'ours')).toEqual({
      id: container(1),
      role: 'conversation',
      engineId: 'arn:aws:ecs:us-east-1:123456789012:task/berth/0123',
      state: 'running',
      createdAt: Date.parse(CREATED),
      labels: { [LABEL.installation]: 'ours', [LABEL.role]: 'conversation', [LABEL.createdAt]: CREATED },
    });
  });

  it('has the time that ECS made it where no label tells one', () => {
    const createdAt = new Date(CREATED);
    const tags = task().tags?.filter(({ key }) => key !== LABEL.createdAt);
    expect(taskView(task({ tags, createdAt }), 'ours')?.createdAt).toBe(createdAt.getTime());
  });

  it.each([
    ['another installation', task(), 'theirs'],
    ['somebody without our tags', task({ tags: [] }), 'ours'],
    ['somebody who starts tasks by another name', task({ startedBy: `ecs-svc/${container(1)}` }), 'ours'],
    ['somebody with a name like ours that is no container', task({ startedBy: 'berth/../x' }), 'ours'],
    ['nobody', task({ taskArn: undefined }), 'ours'],
  ])('is none where it is of %s', (_whose, given, installation) => {
    expect(taskView(given, installation)).toBeUndefined();
  });

  it.each([
    ['PROVISIONING', 'RUNNING', 'created'],
    ['PENDING', 'RUNNING', 'created'],
    ['ACTIVATING', 'RUNNING', 'created'],
    ['RUNNING', 'RUNNING', 'running'],
    ['RUNNING', 'STOPPED', 'exited'],
    ['DEACTIVATING', 'STOPPED', 'exited'],
    ['STOPPING', 'STOPPED', 'exited'],
    ['DEPROVISIONING', 'STOPPED', 'exited'],
    ['STOPPED', 'STOPPED', 'exited'],
  ])('%s, to be %s, is %s', (lastStatus, desiredStatus, state) => {
    const given = task({ lastStatus, desiredStatus });
    expect(taskView(given, 'ours')?.state).toBe(state);
    expect(isEnding(given)).toBe(state === 'exited');
  });

  it.each([
    [{ exitCode: 3 }, { code: 3, oomKilled: false }],
    [{ exitCode: 0 }, { code: 0, oomKilled: false }],
    [
      { exitCode: 137, reason: 'OutOfMemoryError: Container killed due to memory usage' },
      { code: 137, oomKilled: true },
    ],
    [{ reason: 'CannotStartContainerError: no' }, { code: -1, oomKilled: false }],
  ])('that stopped tells how its agent ended: %j', (agent, exit) => {
    expect(taskView(stopped(agent), 'ours')?.exit).toEqual(exit);
  });

  it('that stops tells how its agent ended once that is known, and nothing before', () => {
    const stopping = (agent: { exitCode?: number }) => ({ ...stopped(agent), lastStatus: 'STOPPING' });
    expect(taskView(stopping({ exitCode: 1 }), 'ours')?.exit).toEqual({ code: 1, oomKilled: false });
    expect(taskView(stopping({}), 'ours')).not.toHaveProperty('exit');
  });

  it('says why it ended, of each container and of the whole', () => {
    expect(whyEnded(stopped({ exitCode: 2, reason: 'OutOfMemoryError' }))).toBe(
      'proxy-sidecar ended with exit code 143; workspace-agent ended with exit code 2 (OutOfMemoryError); ' +
        'EssentialContainerExited: Essential container in task exited',
    );
    expect(whyEnded(stopped({ reason: 'CannotPullContainerError: x' }))).toContain(
      'workspace-agent did not start (CannotPullContainerError: x)',
    );
  });

  it('has the address of its network interface, once there is one', () => {
    const detail = { name: 'privateIPv4Address', value: '10.0.0.7' };
    expect(addressOf(task({ attachments: [] }))).toBeUndefined();
    expect(
      addressOf(task({ attachments: [{ type: 'ElasticNetworkInterface', details: [] }] })),
    ).toBeUndefined();
    expect(addressOf(task({ attachments: [{ type: 'ServiceConnect', details: [detail] }] }))).toBeUndefined();
    expect(
      addressOf(
        task({ attachments: [{ type: 'Volume' }, { type: 'ElasticNetworkInterface', details: [detail] }] }),
      ),
    ).toBe('10.0.0.7');
  });
});
