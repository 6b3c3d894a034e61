import Docker from 'dockerode';
import { expect, vi } from 'vitest';
import { RuntimeProcess } from '../support/runtime-process.ts';
import { docker, workspaceImage } from '../support/services/provided.ts';

// A runtime on the run's engine, and what tests of its faults ask about it.

export const engineSocket = (): string => docker().host.replace('unix://', '');
export const engine = (): Docker => new Docker({ socketPath: engineSocket() });

export function onDocker(more: Record<string, string> = {}): Record<string, string> {
  return {
    CONTAINER_MANAGER_TYPE: 'docker',
    DOCKER_HOST: docker().host,
    WORKSPACE_IMAGE: workspaceImage(),
    ...more,
  };
}

/** Resolves once it can serve. */
export async function start(more: Record<string, string> = {}, dataDir?: string): Promise<RuntimeProcess> {
  const runtime = await RuntimeProcess.start({
    env: onDocker(more),
    ...(dataDir === undefined ? {} : { dataDir }),
  });
  await ready(runtime);
  return runtime;
}

export const ready = (runtime: RuntimeProcess): Promise<void> =>
  vi.waitFor(async () => expect((await fetch(`${runtime.url}/ready`)).status).toBe(200), 20_000);

export async function record(runtime: RuntimeProcess, conversation: string): Promise<Record<string, string>> {
  return (await (await runtime.fetch(`/v1/conversations/${conversation}`)).json()) as Record<string, string>;
}

export const running = (runtime: RuntimeProcess, conversation: string): Promise<void> =>
  vi.waitFor(async () => expect((await record(runtime, conversation)).status).toBe('running'), 10_000);
