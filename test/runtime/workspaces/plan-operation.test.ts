import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  OPERATIONS,
  type OperationKind,
  WORKSPACE_STATES,
  type WorkspaceState,
} from '../../../runtime/database/workspace-row.ts';
import { planOperation, SILENT_SECONDS } from '../../../runtime/workspaces/plan-operation.ts';
import { error, NOW, row } from './workspace-row.ts';

const operation = (kind: OperationKind, silentSeconds: number) => ({
  kind,
  id: 'op-1',
  owner: 'one',
  incarnation: null,
  startedAt: NOW - 100_000,
  heartbeatAt: NOW - silentSeconds * 1000,
  progress: null,
  pendingArchiveKey: null,
});

describe('what is done next about a workspace', () => {
  it.each<[WorkspaceState, WorkspaceState, string | null, OperationKind]>([
    ['PENDING', 'STANDBY', null, 'PROVISIONING'],
    ['PENDING', 'RUNNING', null, 'PROVISIONING'],
    ['PENDING', 'STANDBY', 'archives/one/op/home.tar.zst', 'RESTORING'],
    ['PENDING', 'RUNNING', 'archives/one/op/home.tar.zst', 'RESTORING'],
    ['STANDBY', 'RUNNING', null, 'STARTING'],
    ['STANDBY', 'RUNNING', 'archives/one/op/home.tar.zst', 'STARTING'],
    ['STANDBY', 'PENDING', null, 'ARCHIVING'],
    ['RUNNING', 'STANDBY', null, 'STOPPING'],
    ['RUNNING', 'PENDING', null, 'STOPPING'],
  ])('%s, wanted %s (archive %s): %s', (observedStatus, desiredState, archiveKey, expected) => {
    expect(planOperation(row({ observedStatus, desiredState, archiveKey }), NOW)).toEqual({
      kind: 'begin',
      operation: expected,
    });
  });

  it.each<[WorkspaceState, string | null, OperationKind]>([
    ['STANDBY', null, 'PROVISIONING'],
    ['RUNNING', null, 'PROVISIONING'],
    ['STANDBY', 'archives/one/op/home.tar.zst', 'RESTORING'],
    ['RUNNING', 'archives/one/op/home.tar.zst', 'RESTORING'],
    ['PENDING', 'archives/one/op/home.tar.zst', 'ARCHIVING'],
  ])('a volume that is not whole, wanted %s (archive %s): %s', (desiredState, archiveKey, expected) => {
    const half = row({ observedStatus: 'STANDBY', homeFrom: null, desiredState, archiveKey });
    expect(planOperation(half, NOW)).toEqual({ kind: 'begin', operation: expected });
  });

  it.each(WORKSPACE_STATES)('nothing where it is %s as it is wanted', (state) => {
    const settled = row({ observedStatus: state, desiredState: state });
    expect(planOperation(settled, NOW)).toEqual({ kind: 'rest' });
  });

  it.each(WORKSPACE_STATES)('its deletion where that is asked for, also when it is %s', (observedStatus) => {
    const asked = row({ observedStatus, deleteRequestedAt: NOW });
    expect(planOperation(asked, NOW)).toEqual({ kind: 'begin', operation: 'DELETING' });
  });

  it.each(OPERATIONS)('nothing while somebody is at %s, and that one again once they are silent', (kind) => {
    const busy = (silent: number) => row({ operation: operation(kind, silent), deleteRequestedAt: NOW });
    expect(planOperation(busy(SILENT_SECONDS - 1), NOW)).toEqual({ kind: 'wait' });
    expect(planOperation(busy(SILENT_SECONDS), NOW)).toEqual({ kind: 'take-over', operation: kind });
  });

  describe('after a failure', () => {
    const apart = { observedStatus: 'STANDBY' } as const;
    const again = { kind: 'begin', operation: 'STARTING' };

    it('waits for its time', () => {
      const failed = row({ ...apart, error: error() });
      expect(planOperation(failed, NOW)).toEqual({ kind: 'rest' });
      expect(planOperation(failed, NOW + 20_000)).toEqual(again);
    });

    it('waits for a word where it is final', () => {
      const final = error({ terminal: true, retryAt: null });
      expect(planOperation(row({ ...apart, error: final }), NOW + 1e9)).toEqual({ kind: 'rest' });
      expect(planOperation(row({ ...apart, error: final, desiredVersion: 4 }), NOW)).toEqual(again);
    });

    it('of its deletion as well', () => {
      const failed = { error: error({ terminal: true }), deleteRequestedAt: NOW };
      expect(planOperation(row(failed), NOW)).toEqual({ kind: 'rest' });
    });
  });

  it('nothing any more once it is deleted', () => {
    const gone = row({ deletedAt: NOW, deleteRequestedAt: NOW, operation: operation('DELETING', 1000) });
    expect(planOperation(gone, NOW)).toEqual({ kind: 'rest' });
  });

  it('leads from any state to any other, in two steps at most, and then rests', () => {
    const after: Record<OperationKind, WorkspaceState> = {
      PROVISIONING: 'STANDBY',
      RESTORING: 'STANDBY',
      STARTING: 'RUNNING',
      STOPPING: 'STANDBY',
      ARCHIVING: 'PENDING',
      DELETING: 'PENDING',
    };
    const states = fc.constantFrom(...WORKSPACE_STATES);
    fc.assert(
      fc.property(states, states, fc.option(fc.string()), (from, to, archiveKey) => {
        let now = row({ observedStatus: from, desiredState: to, archiveKey });
        for (let step = 0; step < 2; step += 1) {
          const plan = planOperation(now, NOW);
          if (plan.kind === 'begin') now = { ...now, observedStatus: after[plan.operation] };
        }
        expect(now.observedStatus).toBe(to);
        expect(planOperation(now, NOW)).toEqual({ kind: 'rest' });
      }),
    );
  });
});
