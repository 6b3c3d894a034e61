import { once } from 'node:events';
import { expect, it } from 'vitest';
import type { CheckpointName } from '../../runtime/lifecycle/checkpoint.ts';
import { eventually } from '../support/cluster.ts';
import { must } from '../support/must.ts';
import type { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith } from '../support/services/provided.ts';
import { WorkspaceCalls } from '../support/workspace-calls.ts';
import { WORKSPACE_SERVICES, WorkspaceCluster } from '../support/workspace-cluster.ts';

// A leader is paused in the middle of an operation for longer than anybody waits for it. Another one goes on, and the
// user with it. Then the first one wakes, and does what it was about to do.

describeWith(WORKSPACE_SERVICES, 'a leader that was paused past its lease', () => {
  it.concurrent('does not end the container that was started since', async () => {
    await using here = await WorkspaceCluster.open();
    const { paused, workspace } = await pausedAt(here, 'stopping.begun', 'STANDBY');
    const { id } = workspace;
    await workspace.settles({ observed_status: 'STANDBY' }, 90);
    expect(await here.containers(id)).toEqual([]);
    await workspace.want('RUNNING');
    await workspace.settles({ observed_status: 'RUNNING' });
    const newer = await here.containers(id);
    expect(newer).toHaveLength(1);

    await wakes(paused);
    expect(await here.containers(id)).toEqual(newer);
    expect(await workspace.read('kept.txt')).toBe('kept');
    await workspace.settles({ observed_status: 'RUNNING', error: null });
  });

  it.concurrent.for([
    'archiving.committed',
    // It has asked whether the operation is still its own, and will not ask again.
    'archiving.removing',
  ] as const)('does not remove the home that was brought back and changed since: %s', async (at) => {
    await using here = await WorkspaceCluster.open();
    const { paused, workspace } = await pausedAt(here, at, 'STANDBY', 'PENDING');
    const { id } = workspace;
    await workspace.settles({ observed_status: 'PENDING', archived: true }, 90);
    expect(await here.hasVolume(id)).toBe(false);
    expect(await workspace.read('kept.txt')).toBe('kept');
    await workspace.write('newer.txt', 'newer');
    // Without a container: the engine removes no volume that one has, whoever asks.
    await workspace.want('STANDBY');
    await workspace.settles({ observed_status: 'STANDBY' });

    await wakes(paused);
    expect(await here.hasVolume(id)).toBe(true);
    expect(await workspace.read('newer.txt')).toBe('newer');
    await workspace.settles({ observed_status: 'RUNNING', error: null });
  });
});

describeWith(WORKSPACE_SERVICES, 'a leader that was killed', () => {
  it('is followed by another within 15 s of its last sign of life', async () => {
    await using here = await WorkspaceCluster.open();
    const first = await here.cluster.start();
    const leader = async () =>
      (await here.sql("SELECT owner, until FROM leases WHERE name = 'workspaces'"))[0];
    await eventually(async () => expect(await leader()).toBeDefined());
    const { owner } = must(await leader());
    await here.cluster.start();
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    // By the database's clock and what it was told last: the lease's end is as long after that as it lasts.
    const last = must(await leader());
    expect(last.owner).toBe(owner);
    await eventually(async () => expect((await leader())?.owner).not.toBe(owner));
    const next = must(await leader());
    expect(Number(next.until) - Number(last.until)).toBeLessThanOrEqual(15_000);
  });
});

/** A workspace with a file, whose leader has stopped there while it did the last of what was wanted. */
async function pausedAt(
  here: WorkspaceCluster,
  at: CheckpointName,
  ...wanted: string[]
): Promise<{ paused: RuntimeProcess; workspace: WorkspaceCalls }> {
  const paused = await here.cluster.start({}, { at, do: 'freeze' });
  const first = await WorkspaceCalls.make(paused, here.name());
  await first.settles({ observed_status: 'RUNNING' });
  await first.write('kept.txt', 'kept');
  const next = await here.cluster.start();
  const workspace = first.at(next);
  for (const state of wanted) {
    await workspace.want(state);
    if (state !== wanted.at(-1)) await workspace.settles({ observed_status: state });
  }
  await eventually(() => expect(paused.output).toContain(`fault: freeze at ${at}`));
  await here.silence(workspace.id);
  return { paused, workspace };
}

/** Resolves once it has found out. */
async function wakes(paused: RuntimeProcess): Promise<void> {
  const found = /another instance goes on with an operation|an operation on a workspace failed/;
  expect(paused.output).not.toMatch(found);
  paused.child.kill('SIGCONT');
  await eventually(() => expect(paused.output).toMatch(found));
}
