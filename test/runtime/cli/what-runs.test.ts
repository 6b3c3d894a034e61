import { describe, expect, it } from 'vitest';
import { whatRuns } from '../../../runtime/cli/conversation/what-runs.ts';
import type { Container, Conversation, Workspace } from '../../../runtime/client/api.ts';

const AT = '2026-01-01T00:00:00.000Z';
const conversation = (id: string): Conversation => ({
  conversation_id: id,
  tenant_id: 'acme',
  container_id: `ws-${id}`,
  manager_type: 'process',
  status: 'idle',
  created_at: AT,
  claimed_at: AT,
  last_active_at: AT,
  saved_version: null,
  expires_at: '2026-01-01T01:00:00.000Z',
});
const workspace = (id: string, more: Partial<Workspace> = {}): Workspace => ({
  id,
  name: null,
  image_ref: 'editor',
  observed_status: 'RUNNING',
  desired_state: 'RUNNING',
  operation: 'NONE',
  progress: null,
  archived: false,
  error: null,
  standby_ttl_seconds: 60,
  archive_ttl_seconds: null,
  created_at: AT,
  last_access_at: AT,
  delete_requested_at: null,
  url: 'http://127.0.0.1/w/x/',
  ...more,
});
const container = (id: string, owner: Container['owner'], expires_at: string | null = null): Container => ({
  container_id: id,
  role: 'conversation',
  state: 'running',
  created_at: AT,
  owner,
  expires_at,
});

describe('what runs', () => {
  it('is, for a tenant, its conversations and the workspaces that are up', () => {
    const seen = {
      conversations: [conversation('b'), conversation('a')],
      workspaces: [
        workspace('up'),
        workspace('off', { observed_status: 'STANDBY' }),
        workspace('coming', { observed_status: 'PENDING', operation: 'PROVISIONING' }),
      ],
      containers: undefined,
    };
    expect(whatRuns(seen).map(({ kind, name, status, until }) => [kind, name, status, until])).toEqual([
      ['conversation', 'a', 'idle', '2026-01-01T01:00:00.000Z'],
      ['conversation', 'b', 'idle', '2026-01-01T01:00:00.000Z'],
      ['workspace', 'coming', 'provisioning', null],
      ['workspace', 'up', 'running', Date.parse(AT) + 60_000],
    ]);
  });

  it('is, for an operator, every container and whose it is', () => {
    const containers = [
      container('ws-1', null),
      container('ws-2', 'warm', AT),
      container('ws-3', 'starting'),
      container('fn-f', { tenant: 'acme', function_name: 'f' }),
      container('ws-w', { tenant: 'acme', workspace_id: 'w' }),
      container('ws-other', { tenant: 'other', workspace_id: 'theirs' }),
      container('ws-c', { tenant: 'acme', conversation_id: 'c', status: 'running' }, AT),
    ];
    const seen = { conversations: [conversation('c')], workspaces: [workspace('w')], containers };
    expect(whatRuns(seen).map(({ kind, name, status, until }) => [kind, name, status, until])).toEqual([
      ['conversation', 'c', 'running', AT],
      ['workspace', 'theirs', 'running', null],
      ['workspace', 'w', 'running', Date.parse(AT) + 60_000],
      ['function', 'f', 'running', null],
      ['warm', '-', 'warm', AT],
      ['container', '-', 'no owner', null],
      ['container', '-', 'starting', null],
    ]);
  });
});
