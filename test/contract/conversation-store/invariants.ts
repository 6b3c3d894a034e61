import { isDeepStrictEqual } from 'node:util';
import { type ConversationStatus, mayFollow } from '../../../runtime/contracts/conversation-record.ts';
import { MAX_CONTAINERS } from './operations.ts';
import type { StateDump } from './state-dump.ts';

/** Which of the promises that hold in every state are broken in this one. */
export function brokenInvariants(state: StateDump): string[] {
  const live = Object.keys(state.expiry);
  const places = [...Object.keys(state.reserved), ...live];
  const records = Object.entries(state.records);
  const containers: string[] = records.map(([, record]) => record.container);
  const prepared: string[] = records.flatMap(([, { status, container }]) =>
    status === 'preparing' ? [] : [container],
  );
  const reverse = records.map(([name, record]) => [record.container, name]);
  const listed = Object.entries(state.tenants).flatMap(([tenant, ids]) => ids.map((id) => `${tenant}:${id}`));

  return broken({
    'a container has one place': distinct(places),
    'places never pass the maximum': places.length <= MAX_CONTAINERS,
    'two conversations never share a container': distinct(containers),
    'every container leads to its record': isDeepStrictEqual(
      Object.entries(state.reverse).sort(),
      reverse.sort(),
    ),
    'every record has a place': containers.every((id) => places.includes(id)),
    'every record that is prepared is looked at': prepared.every((id) => live.includes(id)),
    'a live place has a record': live.every((id) => containers.includes(id)),
    'work is on containers that are prepared': Object.keys(state.work).every((id) => prepared.includes(id)),
    'a tenant lists its records': isDeepStrictEqual(listed.sort(), Object.keys(state.records).sort()),
    'only a preparation has an owner and an end': records.every(
      ([, record]) => (record.preparation !== null) === (record.status === 'preparing'),
    ),
    'only a drain has a reason': records.every(
      ([, record]) => (record.drainReason !== null) === (record.status === 'draining'),
    ),
  });
}

/** Which of the promises about a single call are broken by this change. */
export function brokenByChange(before: StateDump, after: StateDump, now: number): string[] {
  return Object.entries(before.records).flatMap(([name, was]) => {
    const is = after.records[name];
    if (is?.container === was.container) {
      return broken({ [`${was.status} does not become ${is.status}`]: mayBecome(was.status, is.status) });
    }
    const lapsed = was.preparation !== null && was.preparation.until <= now;
    return broken({
      'the place of a record that is gone stays': was.container in after.reserved,
      'only a preparation that lapsed is replaced': is === undefined || lapsed,
    });
  });
}

/** In one call a record may first be found idle, its work having lapsed. */
function mayBecome(from: ConversationStatus, to: ConversationStatus): boolean {
  return from === to || mayFollow(from, to) || (mayFollow(from, 'idle') && mayFollow('idle', to));
}

const CHANGES_NOTHING = ['stale', 'busy', 'preparing', 'draining'];

/** Whether an answer promises that the call changed nothing. */
export function refuses(answer: unknown): boolean {
  if (typeof answer === 'string') return CHANGES_NOTHING.includes(answer);
  if (typeof answer !== 'object' || answer === null) return false;
  if ('refused' in answer) return true;
  return 'kind' in answer && !['live', 'reserved'].includes(String(answer.kind));
}

function broken(promises: Record<string, boolean>): string[] {
  return Object.entries(promises).flatMap(([promise, holds]) => (holds ? [] : [promise]));
}

function distinct(ids: string[]): boolean {
  return new Set(ids).size === ids.length;
}
