import { afterAll, beforeAll, describe } from 'vitest';
import { ecsCluster, onEcs } from '../ecs/ecs-cluster.ts';
import { gatewayOfTasks, registerWorkspace, startEcs } from '../ecs/ecs-on-docker.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { describeWith, redis } from '../support/services/provided.ts';
import { containersBreak } from './suites/broken-container.ts';
import { limitsAreReached } from './suites/limits.ts';
import { redisIsAway } from './suites/redis-outage.ts';
import { runtimeIsStopped } from './suites/stopped-runtime.ts';
import { wayOutIsKept } from './suites/way-out.ts';

describeWith(['docker', 'redis', 's3', 'workspace-base-image', 'proxy-sidecar-image'], 'on ECS', () => {
  let emulator: EcsEmulator;
  let gateway: string;
  beforeAll(async () => {
    emulator = await startEcs();
    await registerWorkspace(emulator, { cpu: '1024', memory: '2048' }); // as on Docker
    gateway = await gatewayOfTasks();
  });
  afterAll(() => emulator[Symbol.asyncDispose]());
  const place = () => onEcs(emulator);

  describe('when a container breaks', () => containersBreak(place));
  describe('when a limit is reached', () => limitsAreReached(place));
  describe('when the runtime is stopped or broken', () => runtimeIsStopped(place));
  describe('when Redis breaks', () => redisIsAway(place));
  describe('the way out of a container', () =>
    wayOutIsKept(
      (env = {}, url = redis().url) => ecsCluster(url, emulator, env),
      () => gateway,
    ));
});
