import { expect, it } from 'vitest';
import { executionId } from '../../../runtime/contracts/ids.ts';
import { AdoptionNeeded } from '../../../runtime/state/adoption-store.ts';
import { container, conversation, tenant, work } from '../../contract/state/names.ts';
import { CuttableRelay } from '../../support/cuttable-relay.ts';
import { describeWith } from '../../support/services/provided.ts';
import { engineTarget } from '../containers/docker/engine-target.ts';
import { EmptiedRedis } from './emptied-redis.ts';
import { CLAIMED_AT, Fleet, SETTINGS } from './fleet.ts';
import { strangeBackend } from './strange-backend.ts';

describeWith(['docker', 'workspace-base-image', 'redis-server'], 'adoption', () => {
  const redis = new EmptiedRedis();

  const claim = (name: string, id = 1) =>
    redis.state.conversations.acquire({
      tenant: tenant('acme'),
      conversation: conversation(name),
      newContainer: container(id),
      manager: 'docker',
      owner: 'test',
      leaseSeconds: 30,
      maxContainers: 100,
      work: { id: work(1), leaseSeconds: 30, ttl: SETTINGS.ttl },
    });

  it('brings every conversation back to its own container when the store is emptied', async () => {
    await using fleet = new Fleet({ state: redis.state });
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => fleet.of(name)));
    await fleet.adoption().run();
    await redis.empty();
    await expect(claim('a')).rejects.toBeInstanceOf(AdoptionNeeded);

    await fleet.adoption().run();

    const records = await Promise.all(['a', 'b', 'c'].map((name) => fleet.recordOf(name)));
    expect(records.map((record) => record?.container)).toEqual(ids);
    expect(records.map((record) => record?.status)).toEqual(['idle', 'idle', 'idle']);
    expect(await claim('a')).toMatchObject({ kind: 'live', record: { container: ids[0] } });
    expect(await redis.state.conversations.count()).toEqual({ reserved: 0, live: 3, warm: 0 });
  });

  it('believes nobody but who carries a ticket of its own, and lets the rest count until it is gone', async () => {
    await using fleet = new Fleet({ state: redis.state });
    const first = await fleet.of('a');
    const others = await Promise.all([
      fleet.container(), // a warm one
      fleet.container({ token: 'ab'.repeat(32), ticket: { conversation_id: conversation('b') } }), // an impostor
      fleet.container({ ticket: 'made-up' }),
      fleet.container({
        ticket: fleet.ticket(first, { conversation_id: conversation('a'), claimed_at: CLAIMED_AT + 1 }),
      }),
    ]);
    const ended = await fleet.of('e');
    await fleet.backend.pause(ended);

    await fleet.adoption().run();

    expect((await fleet.recordOf('a'))?.container).toBe(first);
    expect(await fleet.recordOf('b')).toBeUndefined();
    expect(await fleet.recordOf('c1')).toBeUndefined();
    expect(await fleet.recordOf('e')).toBeUndefined();
    const places = await redis.state.conversations.places([...others, ended]);
    expect([...places.values()]).toEqual(Array(5).fill('reserved'));
    expect(fleet.actions.toSorted()).toEqual([
      'adopted: store-lost',
      'left: foreign-ticket',
      'left: forged-ticket',
      'left: no-ticket',
      'left: not-running',
      'left: unproven',
    ]);
    // It ends nothing itself: what is due is ended by who looks for that.
    expect(await fleet.listed()).toHaveLength(6);
    expect((await redis.state.conversations.due(10)).reserved.toSorted()).toEqual(
      [...others, ended].toSorted(),
    );
  });

  it('of two containers with tickets for one conversation keeps the one claimed later', async () => {
    await using fleet = new Fleet({ state: redis.state });
    const [older, newer] = await Promise.all([fleet.of('a', CLAIMED_AT), fleet.of('a', CLAIMED_AT + 1)]);
    await fleet.adoption().run();
    expect((await fleet.recordOf('a'))?.container).toBe(newer);
    expect(await redis.state.conversations.places([older])).toEqual(new Map([[older, 'reserved']]));
    expect(fleet.actions).toContain('left: superseded');
  });

  it('leaves alone what the store still knows, and takes every warm one out of the pool', async () => {
    await using fleet = new Fleet({ state: redis.state });
    await fleet.adoption().run();
    const warm = await fleet.container();
    const member = { container: warm, owner: 'one', leaseSeconds: 30 };
    await redis.state.warmPool.reserve({ ...member, most: 5, maxContainers: 10 });
    await redis.state.warmPool.add({ ...member, image: 'i', manager: 'docker' });
    const claimed = await claim('cold', 7);
    expect(claimed).toMatchObject({ kind: 'claimed', record: { container: warm, status: 'preparing' } });
    const second = await fleet.container();
    await redis.state.warmPool.reserve({ ...member, container: second, most: 5, maxContainers: 10 });
    await redis.state.warmPool.add({ ...member, container: second, image: 'i', manager: 'docker' });
    await redis.forgetEpoch();

    await fleet.adoption().run();

    expect((await fleet.recordOf('cold'))?.container).toBe(warm);
    expect(await redis.state.conversations.places([second])).toEqual(new Map([[second, 'reserved']]));
    expect((await redis.state.warmPool.look()).members).toEqual([]);
  });

  it('completes nothing while the engine can not be asked', async () => {
    await using relay = await CuttableRelay.open(engineTarget());
    await using fleet = new Fleet({ state: redis.state, dockerHost: `tcp://127.0.0.1:${relay.port}` });
    const id = await fleet.of('a');
    relay.cut();
    await expect(fleet.adoption().run()).rejects.toMatchObject({ code: 'BACKEND_UNAVAILABLE' });
    expect(await redis.state.adoption.needed()).toBeDefined();
    await expect(claim('a')).rejects.toBeInstanceOf(AdoptionNeeded);
    relay.restore();
    await fleet.adoption().run();
    expect((await fleet.recordOf('a'))?.container).toBe(id);
    expect(await redis.state.adoption.needed()).toBeUndefined();
  });

  it('is done by one instance, and waited for by the others', async () => {
    await using fleet = new Fleet({ state: redis.state });
    await Promise.all([fleet.of('a'), fleet.of('b')]);
    await Promise.all(['one', 'two', 'three'].map((instance) => fleet.adoption(instance).run()));
    expect(fleet.actions).toEqual(['adopted: store-lost', 'adopted: store-lost']);
    expect(await redis.state.adoption.needed()).toBeUndefined();
  });

  it('goes on where an instance died over it', async () => {
    await using fleet = new Fleet({ state: redis.state });
    await fleet.of('a');
    await redis.state.leases.hold('adoption', 'dead', 1);
    await fleet.adoption().run();
    expect(await redis.state.adoption.needed()).toBeUndefined();
    expect(await fleet.recordOf('a')).toBeDefined();
  });

  it('asked for twice at once is one and the same', async () => {
    await using fleet = new Fleet({ state: redis.state });
    const adoption = fleet.adoption();
    const first = adoption.run();
    expect(adoption.run()).toBe(first);
    await first;
    const second = adoption.run();
    expect(second).not.toBe(first);
    await second;
  });

  it('asks an agent that is slow to answer again, and gives up on one that never does', async () => {
    await using fleet = new Fleet({ state: redis.state, backend: strangeBackend });
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
    await using fleet = new Fleet({ state: redis.state, backend: strangeBackend });
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
