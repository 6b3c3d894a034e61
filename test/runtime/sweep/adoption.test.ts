import { expect, it } from 'vitest';
import { executionId } from '../../../runtime/contracts/ids.ts';
import { conversation, tenant } from '../../contract/state/names.ts';
import { describeWith } from '../../support/services/provided.ts';
import { adoptionBehaviour } from './adoption-behaviour.ts';
import { EmptiedRedis } from './emptied-redis.ts';
import { Fleet } from './fleet.ts';
import { fleetOnDocker } from './fleet-place.ts';
import { strangeHome } from './strange-home.ts';

describeWith(['docker', 'workspace-base-image', 'redis-server'], 'adoption', () => {
  const redis = new EmptiedRedis();

  adoptionBehaviour(redis, fleetOnDocker);

  // Only the engine's containers can be paused.
  it('does not wait for one that is paused: it counts until it is gone', async () => {
    await using fleet = new Fleet({ state: redis.state, home: fleetOnDocker() });
    const paused = await fleet.of('a');
    await fleet.backend.pause(paused);
    await fleet.adoption().run();
    expect(await fleet.recordOf('a')).toBeUndefined();
    expect(await redis.state.conversations.places([paused])).toEqual(new Map([[paused, 'reserved']]));
    expect((await redis.state.conversations.due(10)).reserved).toEqual([paused]);
    expect(fleet.actions).toEqual(['left: not-running']);
  });

  it('asks an agent that is slow to answer again, and gives up on one that never does', async () => {
    await using fleet = new Fleet({ state: redis.state, home: strangeHome });
    const slow = await fleet.container({
      env: { STRANGE: 'answers-the-fourth-time' },
      ticket: { conversation_id: conversation('slow') },
    });
    const silent = await fleet.container({
      env: { STRANGE: 'never-answers' },
      ticket: { conversation_id: conversation('silent') },
    });
    await fleet.adoption().run();
    expect((await fleet.recordOf('slow'))?.container).toBe(slow);
    expect(await redis.state.conversations.places([silent])).toEqual(new Map([[silent, 'reserved']]));
    expect(fleet.actions.toSorted()).toEqual(['adopted: store-lost', 'left: silent']);
  });

  it('takes up the executions that run, and nothing else that an agent lists', async () => {
    await using fleet = new Fleet({ state: redis.state, home: strangeHome });
    const execution = executionId('0123456789abcdef01234567');
    await fleet.container({
      env: { STRANGE: 'works', EXECUTIONS: JSON.stringify([execution, 'exec-1', '../x', 'ex-1']) },
      ticket: { conversation_id: conversation('a') },
    });
    await fleet.adoption().run();
    expect((await fleet.recordOf('a'))?.status).toBe('running');
    const name = { tenant: tenant('acme'), conversation: conversation('a') };
    const found = await redis.state.executions.list(name.tenant, name.conversation, 10);
    expect(found.map((each) => [each.execution, each.status])).toEqual([[execution, 'running']]);
    expect(await redis.state.executions.withoutRelay(10)).toEqual([{ ...name, execution }]);
  });
});
