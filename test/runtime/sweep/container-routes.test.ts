import { describe, expect, it } from 'vitest';
import type { ContainerView } from '../../../runtime/containers/container-backend.ts';
import type { ConversationRecord } from '../../../runtime/contracts/conversation-record.ts';
import { ownerOf } from '../../../runtime/sweep/container-inventory.ts';
import { container } from '../../contract/state/names.ts';
import { describeWith } from '../../support/services/provided.ts';
import { containerRoutesBehaviour } from './container-routes-behaviour.ts';
import { fleetOnDocker } from './fleet-place.ts';

describeWith(['docker', 'workspace-base-image'], 'the operator’s view of containers', () => {
  containerRoutesBehaviour(fleetOnDocker);
});

describe('ownerOf', () => {
  const NOW = 1_000_000;
  const view = (state: ContainerView['state'], age: number) => ({ state, createdAt: NOW - age });
  const record = { container: container(1) } as ConversationRecord; // passed on as it is

  it.each([
    ['a record', view('running', 0), 'reserved', record, record],
    ['a place in the pool', view('running', 0), 'warm', undefined, 'warm'],
    ['a reserved place, young', view('running', 59_999), 'reserved', undefined, 'starting'],
    ['a reserved place, older', view('running', 60_000), 'reserved', undefined, 'stopping'],
    ['a reserved place, exited', view('exited', 0), 'reserved', undefined, 'stopping'],
    ['none', view('running', 0), undefined, undefined, undefined],
  ] as const)('of a container with %s', (_title, seen, place, of, owner) => {
    expect(ownerOf(seen, place, of, NOW)).toBe(owner);
  });
});
