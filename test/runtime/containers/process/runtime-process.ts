import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { ContainerSpec } from '../../../../runtime/containers/container-backend.ts';
import type { ProcessBackendOptions } from '../../../../runtime/containers/process/process-backend.ts';

interface Order {
  options: ProcessBackendOptions;
  spec: ContainerSpec;
  uid?: number;
}

/** Starts a runtime with one container; resolves once that is made. */
export async function startRuntime(order: Order): Promise<ChildProcess> {
  const child = forkRuntime(order);
  const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (message !== 'created') throw new Error(`the runtime ended with ${message}`);
  return child;
}

export function forkRuntime(order: Order): ChildProcess {
  const script = fileURLToPath(new URL('./runtime-script.ts', import.meta.url));
  return fork(script, [JSON.stringify(order)], { execArgv: [] });
}
