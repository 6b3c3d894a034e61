import { describe, expect, it } from 'vitest';
import { isInError, workspaceView } from '../../../runtime/workspaces/workspace-view.ts';
import { error, NOW, row } from './workspace-row.ts';

const SETTINGS = {
  urlOf: (id: string) => `https://${id}.workspaces.test/`,
  standbySeconds: 300,
  archiveSeconds: 86_400,
};
const view = (change: Parameters<typeof row>[0] = {}) => workspaceView(row(change), SETTINGS);
const OPERATION = {
  kind: 'STARTING',
  id: 'op',
  owner: 'somebody',
  incarnation: 'engine-id',
  startedAt: NOW,
  heartbeatAt: NOW,
  progress: 'pulling',
  pendingArchiveKey: null,
} as const;

describe('a workspace as its users see it', () => {
  it('has what concerns them, and nothing of how it is kept', () => {
    expect(view({ name: 'Notes', createdAt: NOW })).toEqual({
      id: 'one',
      name: 'Notes',
      image_ref: 'editor:1',
      observed_status: 'RUNNING',
      desired_state: 'RUNNING',
      operation: 'NONE',
      progress: null,
      archived: false,
      error: null,
      standby_ttl_seconds: 300,
      archive_ttl_seconds: 86_400,
      created_at: '1970-01-12T13:46:40.000Z',
      last_access_at: '1970-01-12T13:46:40.000Z',
      delete_requested_at: null,
      url: 'https://one.workspaces.test/',
    });
    expect(view({ operation: OPERATION })).toMatchObject({ operation: 'STARTING', progress: 'pulling' });
    expect(JSON.stringify(view({ operation: OPERATION }))).not.toMatch(/engine-id|somebody|acme/);
  });

  it('has its own times where it has any', () => {
    expect(view({ standbyTtlSeconds: 0, archiveTtlSeconds: 60 })).toMatchObject({
      standby_ttl_seconds: 0,
      archive_ttl_seconds: 60,
    });
    expect(view({ archiveTtlSeconds: 'never' }).archive_ttl_seconds).toBeNull();
  });

  it('is archived while its home is nowhere else', () => {
    const archiveKey = 'archives/one/op/home.tar.zst';
    expect(view({ archiveKey, observedStatus: 'PENDING' }).archived).toBe(true);
    expect(view({ archiveKey, observedStatus: 'STANDBY' }).archived).toBe(false);
    expect(view({ observedStatus: 'PENDING' }).archived).toBe(false);
  });

  it('is in ERROR when it failed for good, until somebody speaks or works on it', () => {
    const final = { error: error({ terminal: true, retryAt: null, at: NOW }) };
    expect(view(final)).toMatchObject({
      observed_status: 'ERROR',
      error: { code: 'HEALTH_CHECK_FAILED', message: 'nobody listens', count: 1, terminal: true },
    });
    expect(view({ ...final, desiredVersion: 4 }).observed_status).toBe('RUNNING');
    expect(view({ ...final, operation: OPERATION }).observed_status).toBe('RUNNING');
    expect(view({ error: error() }).observed_status).toBe('RUNNING');
    expect(isInError(row())).toBe(false);
  });

  it('is DELETED once it is, whatever was seen or failed', () => {
    const gone = { deletedAt: NOW, deleteRequestedAt: NOW, error: error({ terminal: true }) };
    expect(view(gone)).toMatchObject({
      observed_status: 'DELETED',
      delete_requested_at: '1970-01-12T13:46:40.000Z',
    });
  });
});
