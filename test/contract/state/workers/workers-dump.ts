import type { FunctionKey } from '../../../../runtime/contracts/function-key.ts';
import type { MemoryWorkers, StoredWorker } from '../../../../runtime/state/memory/memory-workers.ts';
import { workerKeys } from '../../../../runtime/state/redis/redis-keys.ts';
import { parseFunctionKey } from '../../../../runtime/state/redis/worker-replies.ts';
import { must } from '../../../support/must.ts';
import { pairs, scores } from '../redis-keyspace.ts';

/** All that is known of functions' workers, as plain values: two stores in the same state have equal dumps. */
export interface WorkersDump {
  workers: Record<string, StoredWorker>;
  /** All, and by function: all, those that terminate, and, the one that was let go last first, idle and paused ones. */
  ids: string[];
  of: Record<string, string[]>;
  terminating: Record<string, string[]>;
  idle: Record<string, string[]>;
  paused: Record<string, string[]>;
  /** Lease → worker. */
  leases: Record<string, string>;
  instances: Record<string, number>;
  /** Function, or '' for a place of any → until when somebody waits. */
  waiting: Record<string, number>;
}

export function dumpMemoryWorkers(state: MemoryWorkers, now: number): WorkersDump {
  const all = [...state.all.values()];
  const grouped = (chosen: StoredWorker[]) => {
    const groups = Object.groupBy(chosen, ({ of }) => nameOf(of));
    return Object.fromEntries(Object.entries(groups).map(([of, some = []]) => [of, some.map(idOf)]));
  };
  const lastFirst = all.toReversed();
  return structuredClone({
    workers: Object.fromEntries(state.all),
    ids: all.map(idOf).sort(),
    of: sorted(grouped(all)),
    terminating: sorted(grouped(all.filter((one) => one.state === 'terminating'))),
    idle: grouped(lastFirst.filter((one) => one.state === 'idle')),
    paused: grouped(lastFirst.filter((one) => one.state === 'paused')),
    leases: Object.fromEntries(state.leases),
    instances: Object.fromEntries(state.instances),
    waiting: Object.fromEntries([...state.waiting].filter(([, until]) => until > now)),
  });
}

/** From the flat values of all keys under the prefix. */
export function dumpRedisWorkers(prefix: string, values: Map<string, string[]>, now: number): WorkersDump {
  const keys = workerKeys(prefix);
  const at = (key: string) => values.get(key) ?? [];
  const under = (stem: string) =>
    [...values].flatMap(([key, value]): [string, string[]][] =>
      key.startsWith(stem) ? [[key.slice(stem.length), value]] : [],
    );
  const waiting = [...under(keys.waiting), ['', at(keys.waitingForRoom)] as const].map(
    ([of, [until]]) => [of, Number(until ?? 0)] as const,
  );
  return {
    workers: Object.fromEntries(under(keys.worker).map(([id, flat]) => [id, storedOf(id, pairs(flat))])),
    ids: at(keys.workers).toSorted(),
    of: sorted(Object.fromEntries(under(keys.workersOf))),
    terminating: sorted(Object.fromEntries(under(keys.terminating))),
    idle: Object.fromEntries(under(keys.idle)),
    paused: Object.fromEntries(under(keys.paused)),
    leases: pairs(at(keys.leases)),
    instances: scores(at(keys.instances)),
    waiting: Object.fromEntries(waiting.filter(([, until]) => until > now)),
  };
}

export function nameOf({ tenant, name }: FunctionKey): string {
  return `${tenant}:${name}`;
}

function storedOf(id: string, hash: Record<string, string>): StoredWorker {
  const text = (field: string) => hash[field] ?? `no-${field}`;
  return {
    // The casts: dumps are compared with others, and a value that is not one of its type makes a difference.
    worker: id as StoredWorker['worker'],
    state: text('state') as StoredWorker['state'],
    of: must(parseFunctionKey(text('of'))),
    revision: text('revision'),
    since: Number(text('since')),
    createdAt: Number(text('created_at')),
    calls: Number(text('calls')),
    wasPaused: text('was_paused') === '1',
    hold:
      text('lease') === ''
        ? null
        : { instance: text('instance'), lease: text('lease'), until: Number(text('until')) },
  };
}

function idOf({ worker }: StoredWorker): string {
  return worker;
}

function sorted(lists: Record<string, string[]>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(lists).map(([of, ids]) => [of, ids.toSorted()]));
}
