import { isDeepStrictEqual } from 'node:util';
import { type ConversationStatus, mayFollow } from '../../../runtime/contracts/conversation-record.ts';
import { executionWork } from '../../../runtime/contracts/ids.ts';
import { LOG_BYTES } from '../../../runtime/state/execution-store.ts';
import { EXECUTION_GRACE_MS, LAPSED_WORK_KEPT_MS } from '../../../runtime/state/store-limits.ts';
import { MAX_CONTAINERS, type SettledCall } from './settle-call.ts';
import type { StateDump } from './state-dump.ts';

/** Which of the promises that hold in every state are broken in this one. */
export function brokenInvariants(state: StateDump, now: number): string[] {
  return [...brokenPlaces(state), ...brokenRecords(state), ...brokenExecutions(state, now)];
}

function brokenPlaces(state: StateDump): string[] {
  const places = [...Object.keys(state.reserved), ...Object.keys(state.expiry), ...state.warm];
  return broken({
    'a container has one place': distinct(places),
    'places never pass the maximum': places.length <= MAX_CONTAINERS,
    "the pool's list and what is known of its members agree": isDeepStrictEqual(
      [...state.warm].sort(),
      Object.keys(state.members).sort(),
    ),
    'a place in which a member starts is reserved': Object.keys(state.starting).every(
      (id) => id in state.reserved,
    ),
    'a place in which a member starts has no record': Object.keys(state.starting).every(
      (id) => !(id in state.reverse),
    ),
  });
}

function brokenRecords(state: StateDump): string[] {
  const live = Object.keys(state.expiry);
  const placed = [...Object.keys(state.reserved), ...live];
  const records = Object.entries(state.records);
  const containers: string[] = records.map(([, record]) => record.container);
  const prepared: string[] = records.flatMap(([, { status, container }]) =>
    status === 'preparing' ? [] : [container],
  );
  const reverse = records.map(([name, record]) => [record.container, name]);
  const listed = Object.entries(state.tenants).flatMap(([tenant, ids]) => ids.map((id) => `${tenant}:${id}`));

  return broken({
    'two conversations never share a container': distinct(containers),
    'every container leads to its record': isDeepStrictEqual(
      Object.entries(state.reverse).sort(),
      reverse.sort(),
    ),
    'every record has a place': containers.every((id) => placed.includes(id)),
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

function brokenExecutions(state: StateDump, now: number): string[] {
  const executions = Object.entries(state.executions);
  const running = executions.filter(([, { status }]) => status === 'running');
  const names = running.map(([name]) => name).sort();
  const counted = Object.entries(state.tenantExecutions).flatMap(([tenant, ids]) =>
    Object.keys(ids).map((id) => `${tenant}:${id}`),
  );
  return broken({
    'every running execution has a relay or waits for one': isDeepStrictEqual(
      Object.keys(state.relays).sort(),
      names,
    ),
    'a tenant counts its running executions': isDeepStrictEqual(counted.sort(), names),
    'a running execution has work on its container while that is the conversation’s': running.every(
      ([, { tenant, conversation, container, execution, deadline }]) =>
        state.records[`${tenant}:${conversation}`]?.container !== container ||
        deadline + EXECUTION_GRACE_MS + LAPSED_WORK_KEPT_MS <= now ||
        (state.work[container]?.[executionWork(execution)] ?? 0) >= deadline + EXECUTION_GRACE_MS,
    ),
    'an execution that ended says when': executions.every(
      ([, { status, endedAt }]) => (status === 'running') === (endedAt === null),
    ),
    'a log is in order, and no longer than it may be': executions.every(([, execution]) => {
      const numbers = execution.entries.flatMap(({ first, last }) => [first, last]);
      const ordered = numbers.every((number, i) => i === 0 || number >= (numbers[i - 1] ?? 0));
      const last = numbers.at(-1) ?? 0;
      return ordered && last <= execution.agentSeq + execution.offset && execution.logBytes <= LOG_BYTES;
    }),
  });
}

/** Which of the promises about a single call are broken by this change. */
export function brokenByChange(
  call: SettledCall,
  before: StateDump,
  after: StateDump,
  now: number,
): string[] {
  const adopts = call.kind === 'adopt';
  const records = Object.entries(before.records).flatMap(([name, was]) => {
    const is = after.records[name];
    if (is?.container === was.container) {
      // A preparation that is over begins its work in the same step: by way of `ready`.
      const begins = call.kind === 'confirm' && is.status === 'running';
      const allowed = mayBecome(was.status, is.status) || (was.status === 'preparing' && (adopts || begins));
      return broken({ [`${was.status} does not become ${is.status}`]: allowed });
    }
    const lapsed = was.preparation !== null && was.preparation.until <= now;
    const exchanges = call.kind === 'exchange' && is?.status === 'preparing';
    return broken({
      'the place of a record that is gone stays': was.container in after.reserved,
      'only a preparation that lapsed is replaced': is === undefined || lapsed || adopts || exchanges,
      'a place that is exchanged is the pool’s': !exchanges || was.container in after.starting,
    });
  });
  const executions = Object.entries(before.executions).flatMap(([name, was]) => {
    const is = after.executions[name];
    if (is === undefined)
      return broken({ 'an execution is forgotten by who gives it up': call.kind === 'abandon' });
    return broken({
      'an execution that ended stays as it is': was.status === 'running' || isDeepStrictEqual(is, was),
      'events are never taken back': is.agentSeq + is.offset >= was.agentSeq + was.offset,
      'an execution never moves': is.container === was.container,
    });
  });
  return [...records, ...executions, ...broken({ 'demand only grows': after.demand >= before.demand })];
}

/** In one call a record may first be found idle, its work having lapsed. */
function mayBecome(from: ConversationStatus, to: ConversationStatus): boolean {
  return from === to || mayFollow(from, to) || (mayFollow(from, 'idle') && mayFollow('idle', to));
}

const CHANGES_NOTHING = ['stale', 'busy', 'preparing', 'draining', 'full', 'no-room'];
const CHANGES_SOMETHING = ['live', 'reserved', 'claimed', 'taken'];

/** Whether an answer promises that the call changed nothing. What loses an adoption is marked to be ended. */
export function refuses({ kind }: SettledCall, answer: unknown): boolean {
  if (kind === 'adopt') return false;
  if (typeof answer === 'string') return CHANGES_NOTHING.includes(answer);
  if (typeof answer !== 'object' || answer === null) return false;
  if ('refused' in answer) return true;
  return 'kind' in answer && !CHANGES_SOMETHING.includes(String(answer.kind));
}

function broken(promises: Record<string, boolean>): string[] {
  return Object.entries(promises).flatMap(([promise, holds]) => (holds ? [] : [promise]));
}

function distinct(ids: string[]): boolean {
  return new Set(ids).size === ids.length;
}
