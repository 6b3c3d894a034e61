import { afterAll, beforeAll, describe } from 'vitest';
import { ecsCluster } from '../ecs/ecs-cluster.ts';
import { startEcs } from '../ecs/ecs-on-docker.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { describeWith, redis } from '../support/services/provided.ts';
import { deathsAtCheckpoints } from './suites/deaths-at-checkpoints.ts';
import { twoInstances } from './suites/two-instances.ts';

describeWith(['docker', 'redis', 's3', 'workspace-base-image', 'proxy-sidecar-image'], 'on ECS', () => {
  let emulator: EcsEmulator;
  beforeAll(async () => {
    emulator = await startEcs();
  });
  afterAll(() => emulator[Symbol.asyncDispose]());

  describe('a runtime that dies at', () => {
    deathsAtCheckpoints(() => ecsCluster(redis().url, emulator));
  });

  describe('two instances over one Redis', () => {
    twoInstances((env) => ecsCluster(redis().url, emulator, env));
  });
});
