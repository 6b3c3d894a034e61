import { type ImageSettings, imageSettings } from '../../containers/allowed-images.ts';
import type { Config } from '../../contracts/environment.ts';
import type { FunctionTask } from '../../contracts/function-task.ts';
import { maxFunctionWorkers } from '../../contracts/load-config.ts';
import type { BackendName } from '../../contracts/variable.ts';
import type { FunctionResources, FunctionScaling } from './function-definition.ts';

/** What the operator says of functions. */
export interface FunctionSettings {
  source: FunctionSource;
  defaults: FunctionDefaults;
  limits: FunctionLimits;
}

/** What workers are made from: images, or what the operator has registered where the backend takes nothing else. */
export type FunctionSource =
  | { kind: 'image'; images: ImageSettings }
  | { kind: 'task-definition'; tasks: readonly FunctionTask[] };

/** Of a function that does not say. */
export interface FunctionDefaults {
  port: number;
  path: string;
  timeoutSeconds: number;
  resources: FunctionResources;
  scaling: FunctionScaling;
}

/** The most that a function may ask for. */
export interface FunctionLimits {
  workers: number;
  cpus: number;
  memoryMb: number;
  pids: number;
  timeoutSeconds: number;
  idleTimeoutSeconds: number;
  acquireTimeoutSeconds: number;
  queue: number;
  variables: number;
  /** Of its environment, names and values. */
  environmentBytes: number;
}

export function functionSettings(config: Config, backend: BackendName): FunctionSettings {
  const workers = maxFunctionWorkers(config, backend);
  return {
    source:
      backend === 'ecs'
        ? { kind: 'task-definition', tasks: config.ECS_FUNCTION_TASK_DEFINITIONS }
        : { kind: 'image', images: imagesOf(config) },
    defaults: {
      port: 8080,
      path: '/',
      timeoutSeconds: 60,
      resources: { cpus: config.FUNCTION_CPUS, memoryMb: config.FUNCTION_MEMORY_MB, pids: 256 },
      scaling: {
        minCapacity: Math.min(config.DEFAULT_MIN_CAPACITY, workers),
        maxCapacity: Math.min(config.DEFAULT_MAX_CAPACITY, workers),
        idleTimeoutSeconds: config.GATEWAY_IDLE_TIMEOUT_SECONDS,
        acquireTimeoutSeconds: config.POOL_ACQUIRE_TIMEOUT,
        queue: 100,
      },
    },
    limits: {
      workers,
      cpus: config.MAX_FUNCTION_CPUS,
      memoryMb: config.MAX_FUNCTION_MEMORY_MB,
      pids: 4096,
      timeoutSeconds: 900,
      idleTimeoutSeconds: 7 * 86_400,
      acquireTimeoutSeconds: 900,
      queue: 10_000,
      variables: 100,
      // RunTask takes 8192 characters of JSON that say how a task differs from its definition.
      environmentBytes: backend === 'ecs' ? 4096 : 65_536,
    },
  };
}

/** Functions have no image that they fall back to. */
function imagesOf(config: Config): ImageSettings {
  const { allowed, own } = imageSettings(config);
  return { allowed, own };
}
