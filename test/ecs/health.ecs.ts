import { afterAll, beforeAll, describe } from 'vitest';
import { healthWatchBehaviour } from '../runtime/conversations/health-watch-behaviour.ts';
import { containerRoutesBehaviour } from '../runtime/sweep/container-routes-behaviour.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { describeWith } from '../support/services/provided.ts';
import { fleetOnEcs } from './ecs-fleet.ts';
import { startEcs } from './ecs-on-docker.ts';

describeWith(['docker', 'workspace-base-image', 'proxy-sidecar-image'], 'among tasks', () => {
  let emulator: EcsEmulator;
  beforeAll(async () => {
    emulator = await startEcs();
  });
  afterAll(() => emulator[Symbol.asyncDispose]());
  const place = () => fleetOnEcs(emulator);

  describe('the health watch', () => healthWatchBehaviour(place));
  describe('the operator’s view of containers', () => containerRoutesBehaviour(place));
});
