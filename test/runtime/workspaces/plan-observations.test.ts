import { describe, expect, it } from 'vitest';
import type { ContainerView } from '../../../runtime/containers/container-backend.ts';
import { homeVolume, workspaceContainerId } from '../../../runtime/contracts/ids.ts';
import type { ObservedWorkspace } from '../../../runtime/database/workspaces.ts';
import { observation, planObservations } from '../../../runtime/workspaces/plan-observations.ts';
import { workspace } from '../../contract/database/workspace-scenario.ts';

const container = (state: ContainerView['state'] = 'running', name = 'one'): ContainerView => ({
  id: workspaceContainerId(workspace(name)),
  role: 'workspace',
  engineId: `engine-${name}`,
  state,
  createdAt: 0,
  labels: {},
});

const observed = (change: Partial<ObservedWorkspace> = {}): ObservedWorkspace => ({
  id: workspace(),
  observedStatus: 'RUNNING',
  observedIncarnation: 'engine-one',
  operation: null,
  ...change,
});

describe('what is seen of a workspace', () => {
  it.each([
    ['a volume and a container that runs', container(), true, 'RUNNING', 'engine-one'],
    ['a volume and a container that is paused', container('paused'), true, 'STANDBY', null],
    ['a volume and a container that has not begun', container('created'), true, 'STANDBY', null],
    ['a volume and a container that has ended', container('exited'), true, 'STANDBY', null],
    ['a volume', undefined, true, 'STANDBY', null],
    ['a container without its volume', container(), false, 'PENDING', null],
    ['nothing', undefined, false, 'PENDING', null],
  ] as const)('%s', (_, found, hasVolume, status, incarnation) => {
    expect(observation(found, hasVolume)).toEqual({ status, incarnation });
  });
});

describe('a look at all', () => {
  const volumes = [homeVolume(workspace())];

  it('tells nothing of what is as it was', () => {
    expect(planObservations([observed()], { containers: [container()], volumes })).toEqual([]);
    expect(planObservations([], { containers: [container()], volumes })).toEqual([]);
  });

  it('tells another container of the same workspace, and one that is gone', () => {
    const before = observed({ observedIncarnation: 'engine-before' });
    expect(planObservations([before], { containers: [container()], volumes })).toEqual([
      { id: 'one', seen: { status: 'RUNNING', incarnation: 'engine-one' } },
    ]);
    expect(planObservations([observed()], { containers: [], volumes })).toEqual([
      { id: 'one', seen: { status: 'STANDBY', incarnation: null } },
    ]);
  });

  it('takes no container or volume for that of a workspace whose name begins alike', () => {
    const rows = [
      observed({ id: workspace('one-home'), observedStatus: 'PENDING', observedIncarnation: null }),
    ];
    expect(planObservations(rows, { containers: [container()], volumes })).toEqual([]);
  });

  it('leaves those that are worked on to who works on them', () => {
    const operation = {
      kind: 'STOPPING',
      id: 'op',
      owner: 'other',
      incarnation: null,
      startedAt: 0,
      heartbeatAt: 0,
      progress: null,
      pendingArchiveKey: null,
    } as const;
    expect(planObservations([observed({ operation })], { containers: [], volumes: [] })).toEqual([]);
  });
});
