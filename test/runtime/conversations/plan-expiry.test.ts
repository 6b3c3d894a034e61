import { describe, expect, it } from 'vitest';
import type { ConversationRecord } from '../../../runtime/contracts/conversation-record.ts';
import { parseContainerId, parseConversationId, parseTenantId } from '../../../runtime/contracts/ids.ts';
import { planExpiry } from '../../../runtime/conversations/plan-expiry.ts';
import { must } from '../../support/must.ts';

const TTL = { idleSeconds: 60, maxLifetimeSeconds: 600 };
const NOW = 1_000_000;

function record(fields: Partial<ConversationRecord>): ConversationRecord {
  return {
    tenant: must(parseTenantId('acme')),
    conversation: must(parseConversationId('c1')),
    container: must(parseContainerId('ws-0123456789ab')),
    manager: 'docker',
    status: 'idle',
    createdAt: NOW - 10_000,
    claimedAt: NOW - 10_000,
    lastActiveAt: NOW - 10_000,
    preparation: null,
    drainReason: null,
    savedVersion: null,
    ...fields,
  };
}

function reasons(fields: Partial<ConversationRecord>): string[] {
  return planExpiry({ reserved: [], live: [record(fields)] }, TTL, NOW).map(
    ({ kind, reason }) => `${kind}: ${reason}`,
  );
}

describe('planExpiry', () => {
  it('destroys a place that someone left behind', () => {
    const container = must(parseContainerId('ws-aaaaaaaaaaaa'));
    expect(planExpiry({ reserved: [container], live: [] }, TTL, NOW)).toEqual([
      { kind: 'destroy', container, reason: 'abandoned' },
    ]);
  });

  it('leaves a record whose time has not come', () => {
    expect(reasons({})).toEqual([]);
    expect(reasons({ lastActiveAt: NOW - 59_999 })).toEqual([]);
  });

  it('drains one that idled its time away', () => {
    expect(reasons({ lastActiveAt: NOW - 60_000 })).toEqual(['drain: idle']);
  });

  it('drains one past its longest life, however lately it worked', () => {
    expect(reasons({ createdAt: NOW - 600_000, lastActiveAt: NOW, status: 'running' })).toEqual([
      'drain: lifetime',
    ]);
  });

  it('ends a preparation nobody goes on with, and only that', () => {
    expect(reasons({ status: 'preparing', preparation: { owner: 'i', until: NOW } })).toEqual([
      'end: preparation-lapsed',
    ]);
    expect(reasons({ status: 'preparing', preparation: { owner: 'i', until: NOW + 1 } })).toEqual([]);
  });

  it('finishes a drain that was left over', () => {
    expect(reasons({ status: 'draining', drainReason: 'deleted' })).toEqual(['finish: drain-left-over']);
  });
});
