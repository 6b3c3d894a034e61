import type { FunctionDefinition } from './function-definition.ts';
import type { FunctionSource } from './function-settings.ts';

/** A function as its tenant sees it: the values of its environment may be secrets, and stay inside. */
export function functionView(definition: FunctionDefinition, source: FunctionSource) {
  const { of, image, resources, scaling } = definition;
  return {
    name: of.name,
    image: source.kind === 'image' ? image : null,
    task_definition: source.kind === 'task-definition' ? image : null,
    env_names: Object.keys(definition.env).toSorted(),
    port: definition.port,
    path: definition.path,
    timeout_seconds: definition.timeoutSeconds,
    resources: { cpus: resources.cpus, memory_mb: resources.memoryMb, pids: resources.pids },
    scaling: {
      min_capacity: scaling.minCapacity,
      max_capacity: scaling.maxCapacity,
      idle_timeout: scaling.idleTimeoutSeconds,
      acquire_timeout: scaling.acquireTimeoutSeconds,
      queue: scaling.queue,
    },
    revision: definition.revision,
    created_at: definition.createdAt.toISOString(),
    updated_at: definition.updatedAt.toISOString(),
  };
}
