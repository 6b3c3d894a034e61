import { setTimeout as sleep } from 'node:timers/promises';
import type Docker from 'dockerode';
import { connectEngine } from '../../../../../images/builder/engine.ts';
import type { ResourceKind } from '../provider.ts';
import { type ContainerInputs, containerSettings } from './container-settings.ts';
import { unlessGone } from './unless-gone.ts';

const LOOK_EVERY_MS = 200;

/** A container that runs, is well, or has done what it is for, as its arguments ask. */
export const container: ResourceKind<ContainerInputs> = {
  inputs: [
    ...(['name', 'image', 'command', 'envs', 'user', 'labels', 'healthcheck'] as const),
    ...(['mounts', 'tmpfs', 'readOnly', 'ports', 'networkMode', 'networksAdvanced'] as const),
    ...(['capabilities', 'securityOpts', 'groupAdds', 'restart'] as const),
    ...(['attach', 'mustRun', 'wait', 'waitTimeout', 'stopTimeout', 'destroyGraceSeconds'] as const),
  ],
  named: true,
  async create(args) {
    const engine = connectEngine();
    const made = await engine.createContainer(containerSettings(args));
    try {
      await joinNetworks(engine, made.id, args);
      await made.start();
      if (args.attach) await endedWell(made);
      else if (args.wait) await becomesHealthy(made, (args.waitTimeout ?? 60) * 1000);
    } catch (error) {
      await made.remove({ force: true, v: true });
      throw error;
    }
    return { id: made.id, properties: {} };
  },
  async delete(id, { destroyGraceSeconds }) {
    const made = connectEngine().getContainer(id);
    await unlessGone(async () => {
      if (destroyGraceSeconds !== undefined) await made.stop({ t: destroyGraceSeconds }).catch(ignoreStopped);
      await made.remove({ force: true, v: true });
    });
  },
};

/** Those that it is to be in, and no other: before it starts, it is in the engine's own. */
async function joinNetworks(
  engine: Docker,
  id: string,
  { networksAdvanced = [] }: ContainerInputs,
): Promise<void> {
  if (networksAdvanced.length === 0) return;
  await engine.getNetwork('bridge').disconnect({ Container: id });
  for (const { name } of networksAdvanced) await engine.getNetwork(name).connect({ Container: id });
}

async function endedWell(made: Docker.Container): Promise<void> {
  const { StatusCode } = await made.wait();
  if (StatusCode !== 0) throw new Error(`it ended with ${StatusCode}:\n${await lastWords(made)}`);
}

async function becomesHealthy(made: Docker.Container, withinMs: number): Promise<void> {
  for (const deadline = Date.now() + withinMs; ; await sleep(LOOK_EVERY_MS)) {
    const { State } = await made.inspect();
    if (State.Health?.Status === 'healthy') return;
    const problem = !State.Running
      ? `it ended with ${State.ExitCode}`
      : State.Restarting
        ? 'it ends and starts again'
        : Date.now() > deadline
          ? `it is ${State.Health?.Status ?? 'without a health check'} after ${withinMs / 1000} s`
          : undefined;
    if (problem !== undefined) throw new Error(`${problem}:\n${await lastWords(made)}`);
  }
}

async function lastWords(made: Docker.Container): Promise<string> {
  const log = await made.logs({ stdout: true, stderr: true, tail: 20 });
  // Each part is led by eight bytes that say where it came from.
  return log.toString('utf8').replace(/[^\P{Cc}\n]/gu, '');
}

function ignoreStopped(error: unknown): void {
  const notModified = 304;
  if (error instanceof Error && 'statusCode' in error && error.statusCode === notModified) return;
  throw error;
}
