import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { WorkspaceId } from '../../../../runtime/contracts/ids.ts';
import { OpenConnections } from '../../../../runtime/http/workspace-proxy/open-connections.ts';
import { MemoryActivityStore } from '../../../../runtime/state/memory/memory-activity-store.ts';
import { openRedisState } from '../../../../runtime/state/redis/open-redis-state.ts';
import { workspace } from '../../../contract/database/workspace-scenario.ts';
import { CuttableRelay } from '../../../support/cuttable-relay.ts';
import type { PrivateRedis } from '../../../support/services/private-redis.ts';
import { describeWith, startRedis } from '../../../support/services/provided.ts';
import { eventually } from './eventually.ts';
import { BEARER, ProxyWorld } from './proxy-world.ts';

/** A store in memory that keeps what it was told. */
class Told extends MemoryActivityStore {
  readonly calls: string[] = [];

  override connect(id: WorkspaceId, connection: string) {
    this.calls.push(`connect ${id}`);
    return super.connect(id, connection);
  }

  override disconnect(id: WorkspaceId, connection: string, idle: number) {
    this.calls.push(`disconnect ${id} ${idle}`);
    return super.disconnect(id, connection, idle);
  }
}

function counting(activity = new Told(Date), lingerMs = 10) {
  const writes: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const lines: string[] = [];
  const connections = new OpenConnections({
    activity,
    writes: {
      connected: async (id) => void writes.push(`connected ${id}`),
      accessed: async (id) => void writes.push(`accessed ${id}`),
    },
    log,
    lingerMs,
  });
  return { connections, activity, writes, lines };
}

describe('open connections', () => {
  it('are one to the store, from the first to the last', async () => {
    const { connections, activity, writes } = counting();
    const [one, two] = [connections.open(workspace(), 90), connections.open(workspace(), 90)];
    one[Symbol.dispose]();
    one[Symbol.dispose]();
    await eventually(async () => expect(await activity.inUse([workspace()])).toEqual(new Set(['one'])));
    expect(activity.calls).toEqual(['connect one']);
    two[Symbol.dispose]();
    await eventually(() => expect(activity.calls).toEqual(['connect one', 'disconnect one 90']));
    expect(writes).toEqual(['accessed one', 'connected one']);
    await connections.close();
  });

  it('that follow each other are still the same one', async () => {
    const { connections, activity, writes } = counting(new Told(Date), 60_000);
    for (let at = 0; at < 100; at += 1) {
      connections.open(workspace(), 90)[Symbol.dispose]();
      await new Promise(setImmediate);
    }
    await connections.close();
    expect(activity.calls).toEqual(['connect one', 'disconnect one 90']);
    expect(writes.filter((call) => call === 'accessed one')).toHaveLength(1);
  });

  it('tell the store in the order in which they came and went', async () => {
    const { connections, activity } = counting(new Told(Date), 0);
    const slow = vi.spyOn(activity, 'disconnect').mockImplementationOnce(async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      activity.calls.push('slow disconnect');
    });
    connections.open(workspace(), 90)[Symbol.dispose]();
    await eventually(() => expect(slow).toHaveBeenCalled());
    connections.open(workspace(), 90);
    await eventually(() => expect(activity.calls).toHaveLength(3));
    expect(activity.calls).toEqual(['connect one', 'slow disconnect', 'connect one']);
    expect(await activity.inUse([workspace()])).toEqual(new Set(['one']));
    await connections.close();
  });

  it('are brought back to a store that forgot them, and none that was closed', async () => {
    const { connections, activity } = counting();
    connections.open(workspace(), 90);
    const gone = connections.open(workspace('two'), 0);
    await eventually(() => expect(activity.calls).toHaveLength(2));
    let ahead = 0;
    const emptied = counting(new Told({ now: () => Date.now() + ahead })).activity;
    await emptied.inUse([]);
    ahead = 90_000; // by then it knows everybody
    vi.spyOn(activity, 'beat').mockImplementation((open) => emptied.beat(open));
    gone[Symbol.dispose]();
    await eventually(() => expect(activity.calls).toContain('disconnect two 0'));
    await connections.beat();
    expect(await emptied.inUse([workspace(), workspace('two')])).toEqual(new Set(['one']));
    await connections.close();
  });

  it('are told as ended when the service ends, with their idle timers', async () => {
    const { connections, activity } = counting();
    connections.open(workspace(), 90);
    await connections.close();
    expect(activity.calls).toEqual(['connect one', 'disconnect one 90']);
    expect(await activity.inUse([workspace()])).toEqual(new Set(['one']));
  });

  it('count as a word of the user where the store can not tell, which is said once', async () => {
    const { connections, activity, writes, lines } = counting();
    vi.spyOn(activity, 'connect').mockRejectedValue(new Error('away'));
    vi.spyOn(activity, 'beat').mockRejectedValue(new Error('away'));
    connections.open(workspace(), 90);
    connections.open(workspace('two'), 90);
    await eventually(() =>
      expect(writes).toEqual(expect.arrayContaining(['connected one', 'connected two'])),
    );
    expect(lines.length).toBeLessThanOrEqual(2);
    await connections.close();
  });
});

describeWith('redis-server', 'open connections in Redis', () => {
  let redis: PrivateRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  it('are counted there, for requests and WebSockets alike, and leave an idle timer', async () => {
    const keyPrefix = `${randomUUID()}:`;
    const state = openRedisState({ url: redis.url, keyPrefix, maxLifetimeSeconds: 3_600 });
    const client = new Redis(redis.url);
    {
      await using world = await ProxyWorld.open({ activity: state.activity });
      let finish = () => {};
      const server = await world.running(
        (_, response) => {
          response.write('some');
          finish = () => response.end();
        },
        { standbyTtlSeconds: 77 },
      );
      server.on('upgrade', (_, socket) =>
        socket
          .resume()
          .once('end', () => socket.end())
          .write('HTTP/1.1 101 X\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
      );
      const answer = await world.fetch('/w/one/');
      await eventually(async () => expect(await client.zcard(`${keyPrefix}ws_conn:one`)).toBe(1));
      const socket = world.connect();
      socket.write(
        `GET /w/one/ HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nAuthorization: ${BEARER.authorization}\r\n\r\n`,
      );
      await once(socket, 'data');
      finish();
      await answer.text();
      expect(await client.zcard(`${keyPrefix}ws_conn:one`)).toBe(1);
      expect(await client.exists(`${keyPrefix}idle_timer:one`)).toBe(0);
      socket.destroy();
      await eventually(async () => expect(await client.exists(`${keyPrefix}ws_conn:one`)).toBe(0));
      const left = await client.pttl(`${keyPrefix}idle_timer:one`);
      expect(left).toBeGreaterThan(60_000);
      expect(left).toBeLessThanOrEqual(77_000);
    }
    client.disconnect();
    await state.close();
  });

  it('stop nobody when Redis is away', async () => {
    await using relay = await CuttableRelay.open({ host: '127.0.0.1', port: redis.port });
    const url = `redis://127.0.0.1:${relay.port}`;
    const state = openRedisState({ url, keyPrefix: `${randomUUID()}:`, maxLifetimeSeconds: 3_600 });
    {
      await using world = await ProxyWorld.open({ activity: state.activity });
      await world.running((_, response) => response.end('ok'));
      relay.cut();
      for (let at = 0; at < 3; at += 1) expect(await (await world.fetch('/w/one/')).text()).toBe('ok');
      await eventually(() => expect(world.log).toContainEqual(expect.objectContaining({ level: 40 })));
      relay.restore();
    }
    await state.close();
  });
});
