import { z } from 'zod';
import type { FunctionKey } from '../../contracts/function-key.ts';
import { parseFunctionName, parseTenantId } from '../../contracts/ids.ts';
import type { Acquired, WorkerView } from '../worker-store.ts';
import { digits, instant, named, worker, yesOrNo } from './reply-parts.ts';

export const reserved = z.enum(['reserved', 'full', 'no-room', 'worker-taken']);
export const released = z.enum(['idle', 'terminating', 'stale']);
export const retired = z.enum(['done', 'kept', 'stale']);
export const workers = z.array(worker);
export const places = z.array(z.int());

const none = z.literal('').transform(() => undefined);

export const acquired = z
  .tuple([z.union([none, worker]), yesOrNo, z.int(), workers])
  .transform(
    ([worker, paused, calls, retired]): Acquired =>
      worker === undefined ? { kind: 'none', retired } : { kind: 'leased', worker, paused, calls, retired },
  );

/** `tenant:name`, as keys and messages have it. */
export function parseFunctionKey(text: string): FunctionKey | undefined {
  const [first = '', second = ''] = text.split(':');
  const [tenant, name] = [parseTenantId(first), parseFunctionName(second)];
  return tenant === undefined || name === undefined ? undefined : { tenant, name };
}

const state = z.enum(['provisioning', 'idle', 'paused', 'busy', 'terminating']);

const one = z
  .tuple([worker, named(parseFunctionKey), z.string(), state, digits, digits, z.string()])
  .transform(
    ([worker, of, revision, state, since, createdAt, instance]): WorkerView => ({
      worker,
      of,
      revision,
      state,
      since,
      createdAt,
      instance: instance === '' ? null : instance,
    }),
  );

export const view = z.tuple([z.array(one), instant]).transform(([workers, now]) => ({ workers, now }));
