import { connectEngine } from '../../images/builder/engine.ts';
import { LABEL } from '../../runtime/contracts/labels.ts';
import { Cluster, type ContainerPlace } from '../support/cluster.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
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

function onEcs(emulator: EcsEmulator): ContainerPlace {
  // The object store checks its credentials, the emulator takes any.
  const {
    AWS_ACCESS_KEY_ID: _id,
    AWS_SECRET_ACCESS_KEY: _secret,
    AWS_REGION: _region,
    ...env
  } = ecsEnv(emulator);
  const ofInstallation = (installation: string) =>
    liveTasks(emulator).filter(({ tags }) => tags.get(LABEL.installation) === installation);
  return {
    env,
    count: async (installation) => ofInstallation(installation).length,
    async removeAll(installation) {
      for (const { arn } of ofInstallation(installation)) emulator.stopFromOutside(arn);
    },
  };
}

export async function taskOf(emulator: EcsEmulator, runtime: RuntimeProcess, conversation: string) {
  const answer = await runtime.fetch(`/v1/conversations/${conversation}`);
  const { container_id } = (await answer.json()) as { container_id: string };
  return must(liveTasks(emulator, container_id)[0]);
}

/** No packet reaches the task any more, and none comes back. */
export async function cutOff(taskArn: string): Promise<void> {
  const engine = connectEngine(docker().host);
  const holder = engine.getContainer(`berth-ecs-${taskArn.split('/').at(-1)}`);
  const { NetworkSettings } = await holder.inspect();
  for (const { NetworkID } of Object.values(NetworkSettings.Networks)) {
    await engine.getNetwork(NetworkID).disconnect({ Container: holder.id, Force: true });
  }
}
