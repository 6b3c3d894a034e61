import type { WorkspaceRow } from '../../../runtime/database/workspace-row.ts';
import { tenant, workspace } from '../../contract/database/workspace-scenario.ts';

export const NOW = 1_000_000_000;

/** A workspace that is as it is wanted. */
export function row(change: Partial<WorkspaceRow> = {}): WorkspaceRow {
  return {
    id: workspace(),
    tenant: tenant(),
    keyName: 'key',
    createdAt: 0,
    name: null,
    imageRef: 'editor:1',
    standbyTtlSeconds: null,
    archiveTtlSeconds: null,
    deleteRequestedAt: null,
    desiredState: 'RUNNING',
    desiredVersion: 3,
    restedVersion: null,
    observedStatus: 'RUNNING',
    observedAt: NOW,
    observedIncarnation: null,
    lastAccessAt: NOW,
    operation: null,
    previousStatus: null,
    archiveKey: null,
    homeFrom: 'nothing',
    error: null,
    deletedAt: null,
    ...change,
  };
}

export const error = (change: Partial<NonNullable<WorkspaceRow['error']>> = {}) => ({
  code: 'HEALTH_CHECK_FAILED',
  message: 'nobody listens',
  count: 1,
  terminal: false,
  at: NOW - 10_000,
  desiredVersion: 3,
  retryAt: NOW + 20_000,
  ...change,
});
