import { it } from 'vitest';
import { WORKSPACE_CHECKPOINTS } from '../../runtime/lifecycle/checkpoint.ts';
import { eventually } from '../support/cluster.ts';
import { describeTree, makeTree } from '../support/home-tree.ts';
import { describeWith } from '../support/services/provided.ts';
import { WorkspaceCalls } from '../support/workspace-calls.ts';
import { WORKSPACE_SERVICES, WorkspaceCluster } from '../support/workspace-cluster.ts';

// A coordinator dies at each of its checkpoints. Another one, over the same stores and engine, must find its way, and
// the home must be as it was.

type Step = 'STANDBY' | 'PENDING' | 'RUNNING' | 'delete';

/** What is wanted once the home is full, one after the other: somewhere there it dies. */
const STEPS: Record<(typeof WORKSPACE_CHECKPOINTS)[number], Step[]> = {
  'provisioning.provisioned': [],
  'starting.image': [],
  'starting.started': [],
  'starting.observed': [],
  'stopping.begun': ['STANDBY'],
  'stopping.deleted': ['STANDBY'],
  'archiving.written': ['STANDBY', 'PENDING'],
  'archiving.committed': ['STANDBY', 'PENDING'],
  'archiving.removing': ['STANDBY', 'PENDING'],
  'archiving.deleted': ['STANDBY', 'PENDING'],
  'restoring.provisioned': ['STANDBY', 'PENDING', 'RUNNING'],
  'restoring.restored': ['STANDBY', 'PENDING', 'RUNNING'],
  'deleting.container': ['delete'],
  'deleting.volume': ['delete'],
};

describeWith(WORKSPACE_SERVICES, 'a coordinator that dies at', () => {
  it.concurrent.for(WORKSPACE_CHECKPOINTS)('%s costs its workspace nothing', async (name, { expect }) => {
    await using here = await WorkspaceCluster.open();
    const id = here.name();
    const dying = await here.cluster.start({}, { at: name, do: 'kill' });
    let workspace = await WorkspaceCalls.make(dying, id);
    let tree: string[] | undefined;
    for (const step of STEPS[name]) {
      if (tree === undefined) {
        await workspace.settles({ observed_status: 'RUNNING' });
        await makeTree(here.home(id));
        tree = await describeTree(here.home(id));
      }
      if (step === 'delete') await workspace.delete();
      else await workspace.want(step);
      const isLast = step === STEPS[name].at(-1);
      if (!isLast) await workspace.settles({ observed_status: step });
    }
    await eventually(() => expect(dying.child.signalCode).toBe('SIGKILL'), 60);
    expect(dying.output).toContain(`fault: kill at ${name}`);

    await here.silence(id);
    const next = await here.cluster.start();
    workspace = workspace.at(next);
    if (STEPS[name].includes('delete')) {
      await workspace.gone();
      expect(await here.containers(id)).toEqual([]);
      expect(await here.hasVolume(id)).toBe(false);
      return;
    }
    await workspace.want('RUNNING');
    await workspace.settles({ observed_status: 'RUNNING', error: null });
    expect((await workspace.visit('/healthz')).status).toBe(200);
    expect(await here.containers(id)).toHaveLength(1);
    if (tree !== undefined) expect(await describeTree(here.home(id))).toEqual(tree);
  });
});
