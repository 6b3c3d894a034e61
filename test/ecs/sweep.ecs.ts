import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { adoptionBehaviour } from '../runtime/sweep/adoption-behaviour.ts';
import { EmptiedRedis } from '../runtime/sweep/emptied-redis.ts';
import { Fleet } from '../runtime/sweep/fleet.ts';
import { reconcileBehaviour } from '../runtime/sweep/reconcile-behaviour.ts';
import type { EcsEmulator } from '../support/ecs-emulator/ecs-emulator.ts';
import { NO_DELAYS } from '../support/ecs-emulator/tasks/task-delays.ts';
import { must } from '../support/must.ts';
import { describeWith } from '../support/services/provided.ts';
import { fleetOnEcs } from './ecs-fleet.ts';
import { startEcs } from './ecs-on-docker.ts';

describeWith(
  ['docker', 'redis-server', 'workspace-base-image', 'proxy-sidecar-image'],
  'the sweep among tasks',
  () => {
    let emulator: EcsEmulator;
    beforeAll(async () => {
      emulator = await startEcs();
    });
    afterAll(() => emulator[Symbol.asyncDispose]());
    const place = () => fleetOnEcs(emulator);
    const redis = new EmptiedRedis();

    describe('adoption', () => {
      adoptionBehaviour(redis, place);

      it('does not wait for a task that is still being started: it counts until it is gone', async () => {
        await using fleet = new Fleet({ state: redis.state, home: place() });
        emulator.setDelays({ pending: 60_000 });
        const made = fleet.of('a').catch((error) => error);
        const starting = await vi.waitFor(async () => must((await fleet.listed())[0]), 10_000);
        emulator.setDelays(NO_DELAYS);
        await fleet.adoption().run();
        expect(await fleet.recordOf('a')).toBeUndefined();
        expect((await redis.state.conversations.due(10)).reserved).toEqual([starting]);
        expect(fleet.actions).toEqual(['left: not-running']);
        await fleet.end(starting);
        expect(await made).toBeInstanceOf(Error);
      });

      it('knows nothing of a task that stopped: ECS lists it no more', async () => {
        await using fleet = new Fleet({ state: redis.state, home: place() });
        await place().kill(await fleet.of('a'));
        await fleet.adoption().run();
        expect(await fleet.recordOf('a')).toBeUndefined();
        expect(fleet.actions).toEqual([]);
      });
    });

    describe('reconciling', () => reconcileBehaviour(redis, place));
  },
);
