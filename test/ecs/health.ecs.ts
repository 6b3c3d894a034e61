import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openMemoryState } from '../../runtime/state/memory/open-memory-state.ts';
import { healthWatchBehaviour, live, watch } from '../runtime/conversations/health-watch-behaviour.ts';
import { containerRoutesBehaviour } from '../runtime/sweep/container-routes-behaviour.ts';
import { Fleet } from '../runtime/sweep/fleet.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { NO_DELAYS } from '../support/ecs-emulator/tasks/task-delays.ts';
import { describeWith } from '../support/services/provided.ts';
import { fleetOnEcs } from './ecs-fleet.ts';
import { startEcs } from './ecs-on-docker.ts';

/** Far longer than the rounds of a test. */
const LONG_SECONDS = 600;

describeWith(['docker', 'workspace-base-image', 'proxy-sidecar-image'], 'among tasks', () => {
  let emulator: EcsEmulator;
  beforeAll(async () => {
    emulator = await startEcs();
  });
  afterAll(() => emulator[Symbol.asyncDispose]());
  const place = () => fleetOnEcs(emulator);

  describe('the health watch', () => {
    healthWatchBehaviour(place);

    it('calls a task unhealthy that answers but does not get to run, after three rounds; not one that still starts', async () => {
      await using fleet = new Fleet({ state: openMemoryState(), home: place() });
      emulator.setDelays({ activating: 1000 * LONG_SECONDS });
      const starts = await live(fleet, 'starts');
      emulator.setDelays({ activating: 10_000 * LONG_SECONDS });
      const stuck = await live(fleet, 'stuck');
      emulator.setDelays(NO_DELAYS);
      const { health, told } = watch(fleet);
      await health.runOnce();
      await health.runOnce();
      expect(told).toEqual([]);
      emulator.clock.advance(1000 * LONG_SECONDS);
      await expect.poll(() => fleet.backend.inspect(starts)).toMatchObject({ state: 'running' });
      await health.runOnce();
      expect(told).toEqual(['stuck: not-running']);
      expect(await fleet.backend.inspect(stuck)).toMatchObject({ state: 'created' });
      await health.close();
    });
  });
  describe('the operator’s view of containers', () => containerRoutesBehaviour(place));
});
