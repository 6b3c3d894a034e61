import { afterAll, beforeAll } from 'vitest';
import { destroyAllWorks } from '../e2e/destroy-all.e2e.ts';
import { ecsCluster } from '../ecs/ecs-cluster.ts';
import { startEcs } from '../ecs/ecs-on-docker.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { describeWith, redis } from '../support/services/provided.ts';

describeWith(
  ['docker', 'redis', 's3', 'workspace-base-image', 'proxy-sidecar-image'],
  'berth destroy-all on ECS',
  () => {
    let emulator: EcsEmulator;
    beforeAll(async () => {
      emulator = await startEcs();
    });
    afterAll(() => emulator[Symbol.asyncDispose]());

    destroyAllWorks((env = {}, url = redis().url) => ecsCluster(url, emulator, env));
  },
);
