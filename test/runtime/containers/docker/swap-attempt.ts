import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ContainerSpec } from '../../../../runtime/containers/container-backend.ts';
import type { DockerBackend } from '../../../../runtime/containers/docker/docker-backend.ts';
import { agentOf } from '../../../contract/container-backend/specs.ts';

export interface SwapResult {
  /** What the agent's folder held afterwards. */
  planted: 'nothing' | 'link' | 'other';
  /** Whether the runtime still reached the true agent, and after another create of the same id. */
  reached: boolean[];
  endpoint: 'socket' | 'other';
}

/** User code puts a link to the engine's own socket where the agent's socket was, by all the means it has. */
export async function attemptSwap(
  backend: DockerBackend,
  spec: ContainerSpec,
  base: string,
  engineSocket: string,
): Promise<SwapResult> {
  const agent = agentOf(backend, spec);
  await agent.bash(
    `cd /berth/agent; chmod 777 . 2>/dev/null; ln -sfn ${engineSocket} agent.sock 2>/dev/null; ` +
      `mkdir -p x/y 2>/dev/null; chmod 000 x 2>/dev/null; ln -sfn ${engineSocket} ../agent.sock 2>/dev/null; true`,
  );
  const planted = await lstat(join(base, spec.id, 'agent', 'agent.sock')).catch(() => undefined);
  const reached = [await agent.proves()];
  await backend.create(spec);
  reached.push(await agent.proves());
  const endpoint = await lstat(join(base, spec.id, 'agent.sock'));
  return {
    planted: planted === undefined ? 'nothing' : planted.isSymbolicLink() ? 'link' : 'other',
    reached,
    endpoint: endpoint.isSocket() ? 'socket' : 'other',
  };
}
