import { afterAll, beforeAll, describe } from 'vitest';
import { ecsCluster } from '../ecs/ecs-cluster.ts';
import { registerWorkspace, startEcs } from '../ecs/ecs-on-docker.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { describeWith, redis } from '../support/services/provided.ts';
import { executionsMeetTrouble } from './suites/executions.ts';
import { executionsOfTwoInstances } from './suites/executions-of-two-instances.ts';
import { storeIsLost } from './suites/lost-store.ts';
import { objectStoreFails } from './suites/objects.ts';

describeWith(
  ['docker', 'redis', 'redis-server', 's3', 'workspace-base-image', 'proxy-sidecar-image'],
  'on ECS',
  () => {
    let emulator: EcsEmulator;
    beforeAll(async () => {
      emulator = await startEcs();
      await registerWorkspace(emulator, { cpu: '1024', memory: '2048' }); // as on Docker
    });
    afterAll(() => emulator[Symbol.asyncDispose]());
    const open = (env = {}, url = redis().url) => ecsCluster(url, emulator, env);

    describe('an execution', () => {
      executionsOfTwoInstances(open);
      executionsMeetTrouble(open);
    });

    describe('an object store that', () => objectStoreFails(open));

    describe('a Redis that loses what it knew', () => storeIsLost(open));
  },
);
