import { expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { eventually } from '../support/cluster.ts';
import { describeWith, redis, startRedis } from '../support/services/provided.ts';
import { WorkspaceActivity } from '../support/workspace-activity.ts';
import { WorkspaceCalls } from '../support/workspace-calls.ts';
import { WORKSPACE_SERVICES, WorkspaceCluster } from '../support/workspace-cluster.ts';

// Who is there is known from heartbeats in Redis, and since when from the database. A second without anybody is
// enough here for a workspace to be idle.

const IDLE = { DEFAULT_STANDBY_TTL: '1' };

describeWith([...WORKSPACE_SERVICES, 'redis-server'], 'a workspace', () => {
  it.concurrent('that is in use stays when Redis is emptied', async () => {
    const store = await startRedis();
    await using _store = { [Symbol.asyncDispose]: () => store.stop() };
    await using here = await WorkspaceCluster.open(IDLE, { redisUrl: store.url });
    using activity = new WorkspaceActivity(store.url, here.cluster.installation);
    const runtime = await here.cluster.start();
    const all = await Promise.all(
      ['a', 'b', 'c'].map((word) => WorkspaceCalls.make(runtime, here.name(word))),
    );
    for (const workspace of all) await workspace.settles({ observed_status: 'RUNNING' });
    const sockets = await Promise.all(all.map((workspace) => workspace.socket()));
    const containers = () => Promise.all(all.map(({ id }) => here.containers(id)));
    const before = await containers();
    const areLeft = () => Promise.all(all.map(({ id }) => here.isLeft(id)));
    const connections = () => Promise.all(all.map(({ id }) => activity.connections(id)));
    await eventually(async () => expect(await connections()).toEqual([1, 1, 1]));

    // Nothing but their connections speaks for them.
    await areLeft();
    await activity.looks();
    await areLeft();
    await activity.client.flushall();
    await eventually(async () => expect(await activity.wasAsked()).toBe(true));
    // Heard of again, and asked for often meanwhile.
    await eventually(async () => expect(await connections()).toEqual([1, 1, 1]), 90);
    await areLeft();
    await activity.looks();

    for (const workspace of all)
      await workspace.settles({ observed_status: 'RUNNING', desired_state: 'RUNNING' });
    expect(await containers()).toEqual(before);
    expect(sockets.map(({ readyState }) => readyState)).toEqual(sockets.map(() => WebSocket.OPEN));
    for (const socket of sockets) socket.terminate();
  });

  it.concurrent('whose proxy was killed is idle once its connections were silent for long enough', async () => {
    await using here = await WorkspaceCluster.open(IDLE);
    using activity = new WorkspaceActivity(redis().url, here.cluster.installation);
    const leader = await here.cluster.start();
    const workspace = await WorkspaceCalls.make(leader, here.name());
    await workspace.settles({ observed_status: 'RUNNING' });
    const proxy = await here.cluster.start();
    const sockets = await Promise.all(Array.from({ length: 5 }, () => workspace.at(proxy).socket()));
    await eventually(async () => expect(await activity.connections(workspace.id)).toBe(1));

    for (const socket of sockets) socket.on('error', () => {}); // told by its state
    await proxy.stop('SIGKILL');
    await eventually(() =>
      expect(sockets.map(({ readyState }) => readyState)).toEqual(sockets.map(() => WebSocket.CLOSED)),
    );
    await here.isLeft(workspace.id);
    await activity.looks();
    expect(await workspace.look()).toMatchObject({ desired_state: 'RUNNING', observed_status: 'RUNNING' });

    await activity.silence(workspace.id);
    await workspace.settles({ observed_status: 'STANDBY', desired_state: 'STANDBY' });
    expect(await here.containers(workspace.id)).toEqual([]);
  });

  it.concurrent('that nobody uses goes by itself, container and volume, and comes back with who comes', async () => {
    await using here = await WorkspaceCluster.open(IDLE);
    using activity = new WorkspaceActivity(redis().url, here.cluster.installation);
    const workspace = await WorkspaceCalls.make(await here.cluster.start(), here.name());
    await workspace.settles({ observed_status: 'RUNNING' });
    await workspace.write('kept.txt', 'kept');
    await activity.isKnownForLong();
    await workspace.settles({ observed_status: 'STANDBY', desired_state: 'STANDBY' });
    expect(await here.containers(workspace.id)).toEqual([]);

    expect(await workspace.read('kept.txt')).toBe('kept');
    await workspace.settles({ observed_status: 'STANDBY', desired_state: 'STANDBY' });

    await here.isLeft(workspace.id);
    await workspace.settles({ observed_status: 'PENDING', desired_state: 'PENDING', archived: true });
    expect(await here.hasVolume(workspace.id)).toBe(false);

    expect(await workspace.read('kept.txt')).toBe('kept');
    await workspace.settles({ observed_status: 'STANDBY', error: null });
  });
});
