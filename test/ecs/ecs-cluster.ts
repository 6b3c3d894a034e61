import { vi } from 'vitest';
import { connectEngine } from '../../images/builder/engine.ts';
import { LABEL } from '../../runtime/contracts/labels.ts';
import { Cluster } from '../support/cluster.ts';
import type { ContainerPlace } from '../support/container-place.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { AGENT_CONTAINER } from '../support/ecs-emulator/workspace-task-definition.ts';
import { must } from '../support/must.ts';
import type { RuntimeProcess } from '../support/runtime-process.ts';
import { docker } from '../support/services/provided.ts';
import { ecsEnv, liveTasks } from './ecs-on-docker.ts';

/** Runtimes over one Redis and one object store, whose containers are tasks. */
export function ecsCluster(
  redisUrl: string,
  emulator: EcsEmulator,
  env: Record<string, string> = {},
): Cluster {
  return new Cluster(redisUrl, env, onEcs(emulator));
}

/** The tasks of an emulator. */
export function onEcs(emulator: EcsEmulator): ContainerPlace {
  const ofInstallation = (installation: string) =>
    liveTasks(emulator).filter(({ tags }) => tags.get(LABEL.installation) === installation);
  const taskFor = (container: string) => must(liveTasks(emulator, container)[0]);
  return {
    env: ecsEnv(emulator),
    count: async (installation) => ofInstallation(installation).length,
    has: async (container) => liveTasks(emulator, container).some(({ stop }) => stop === undefined),
    async kill(container) {
      const task = taskFor(container);
      await emulator.killContainer(task.arn, AGENT_CONTAINER);
      await vi.waitFor(() => must(task.stop), { timeout: 10_000, interval: 10 });
    },
    silence: (container) => cutOff(taskFor(container).arn),
    async removeAll(installation) {
      for (const { arn } of ofInstallation(installation)) emulator.stopFromOutside(arn);
    },
  };
}

/** With the development key, or another's. */
export async function taskOf(
  emulator: EcsEmulator,
  runtime: RuntimeProcess,
  conversation: string,
  as: { key?: string } = {},
) {
  const answer = await runtime.fetch(`/v1/conversations/${conversation}`, as);
  const { container_id } = (await answer.json()) as { container_id: string };
  return must(liveTasks(emulator, container_id)[0]);
}

/** No packet reaches the task any more, and none comes back, until the returned function is called. */
export async function cutOff(taskArn: string): Promise<() => Promise<void>> {
  const engine = connectEngine(docker().host);
  const holder = engine.getContainer(`berth-ecs-${taskArn.split('/').at(-1)}`);
  const { NetworkSettings } = await holder.inspect();
  const networks = Object.values(NetworkSettings.Networks);
  for (const { NetworkID } of networks) {
    await engine.getNetwork(NetworkID).disconnect({ Container: holder.id, Force: true });
  }
  return async () => {
    for (const { NetworkID, IPAddress } of networks) {
      const EndpointConfig = { IPAMConfig: { IPv4Address: IPAddress } };
      await engine.getNetwork(NetworkID).connect({ Container: holder.id, EndpointConfig });
    }
  };
}
