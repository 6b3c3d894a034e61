import { isReservedVariable } from '../../containers/app-environment.ts';
import type { FunctionScaling } from './function-definition.ts';
import type { FunctionDefaults, FunctionLimits } from './function-settings.ts';

/** What its workers are to run. */
export type FunctionImage = { image: string } | { taskDefinition: string };

/** What a tenant says of a function. */
export interface FunctionWords {
  runs: FunctionImage;
  env?: Readonly<Record<string, string>> | undefined;
  port?: number | undefined;
  path?: string | undefined;
  timeoutSeconds?: number | undefined;
  resources?: Said<FunctionDefaults['resources']> | undefined;
  scaling?: Said<FunctionScaling> | undefined;
}

type Said<T> = { [K in keyof T]?: T[K] | undefined };

export function withDefaults(words: FunctionWords, defaults: FunctionDefaults) {
  const { resources, scaling } = defaults;
  return {
    env: words.env ?? {},
    port: words.port ?? defaults.port,
    path: words.path ?? defaults.path,
    timeoutSeconds: words.timeoutSeconds ?? defaults.timeoutSeconds,
    resources: {
      cpus: words.resources?.cpus ?? resources.cpus,
      memoryMb: words.resources?.memoryMb ?? resources.memoryMb,
      pids: words.resources?.pids ?? resources.pids,
    },
    scaling: {
      ...capacity(words.scaling ?? {}, scaling),
      idleTimeoutSeconds: words.scaling?.idleTimeoutSeconds ?? scaling.idleTimeoutSeconds,
      acquireTimeoutSeconds: words.scaling?.acquireTimeoutSeconds ?? scaling.acquireTimeoutSeconds,
      queue: words.scaling?.queue ?? scaling.queue,
    },
  };
}

/** A default gives way to what was said. */
function capacity(
  { minCapacity: min, maxCapacity: max }: Said<FunctionScaling>,
  defaults: FunctionScaling,
): Pick<FunctionScaling, 'minCapacity' | 'maxCapacity'> {
  return {
    minCapacity: min ?? Math.min(defaults.minCapacity, max ?? defaults.maxCapacity),
    maxCapacity: max ?? Math.max(defaults.maxCapacity, min ?? defaults.minCapacity),
  };
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** What is wrong with an environment, each with the variable it is about, or none for the whole of it. */
export function environmentProblems(
  env: Readonly<Record<string, string>>,
  { variables, environmentBytes }: FunctionLimits,
): { name?: string; message: string }[] {
  const entries = Object.entries(env);
  const bytes = entries.reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(name) + Buffer.byteLength(value),
    0,
  );
  return [
    ...(entries.length > variables ? [{ message: `wants at most ${variables} variables` }] : []),
    ...(bytes > environmentBytes ? [{ message: `wants at most ${environmentBytes} bytes in all` }] : []),
    ...entries.slice(0, variables).flatMap(([name, value]) => {
      const message = variableProblem(name, value);
      return message === undefined ? [] : [{ name: name.slice(0, 100), message }];
    }),
  ];
}

function variableProblem(name: string, value: string): string | undefined {
  if (!VARIABLE.test(name)) return 'is no name of a variable: it wants letters, digits and _, no digit first';
  if (isReservedVariable(name))
    return 'is reserved: the service says it, or what starts the program reads it';
  if (value.includes('\0') || !value.isWellFormed()) return 'wants a text without NUL';
  return undefined;
}
