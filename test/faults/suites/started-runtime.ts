import { expect, vi } from 'vitest';
import type { ContainerPlace } from '../../support/container-place.ts';
import { RuntimeProcess } from '../../support/runtime-process.ts';

// A runtime alone with its containers, and what tests of its faults ask about it.

/** Resolves once it can serve. */
export async function start(
  place: ContainerPlace,
  more: Record<string, string> = {},
  dataDir?: string,
): Promise<RuntimeProcess> {
  const runtime = await RuntimeProcess.start({
    env: { ...place.env, ...more },
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
