import type { ResourceKind } from '../provider.ts';
import type { WireObject } from '../wire-values.ts';
import { kindOf } from './aws-type.ts';
import type { Recorder } from './recorder.ts';
import { COMPUTE } from './types/compute.ts';
import { NETWORK } from './types/network.ts';
import { STORES } from './types/stores.ts';
import { WATCHING } from './types/watching.ts';

/** By token: every type that our stacks use. To add one, a line in one of these tables. */
export function kindsOf(recorder: Recorder): Record<string, ResourceKind<WireObject>> {
  const types = { ...NETWORK, ...STORES, ...COMPUTE, ...WATCHING };
  return Object.fromEntries(
    Object.entries(types).map(([token, type]) => [token, kindOf(recorder, token, type)]),
  );
}
