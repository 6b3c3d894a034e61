import type { ContainerView } from '../../containers/container-backend.ts';
import type { WorkerView } from '../../state/worker-store.ts';

/** No instance has it. */
export function isFree({ state }: WorkerView): boolean {
  return state === 'idle' || state === 'paused';
}

/** Its program has not ended. Undefined: there is no container. */
export function isAlive(container: ContainerView | undefined): boolean {
  return container?.state === 'running' || container?.state === 'paused';
}
