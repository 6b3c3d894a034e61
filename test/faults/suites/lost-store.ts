import { Redis } from 'ioredis';
import { expect, it } from 'vitest';
import { eventually, type OpenCluster, poolOf, shownContainers } from '../../support/cluster.ts';
import { allEvents, printed, readEvents } from '../../support/event-reading.ts';
import type { RuntimeProcess } from '../../support/runtime-process.ts';
import { startRedis } from '../../support/services/provided.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const COUNT = 'import time\nfor i in range(24):\n  print(i, flush=True)\n  time.sleep(0.5)';
const COUNTED = Array.from({ length: 24 }, (_, i) => `${i}\n`).join('');

async function containerOf(runtime: RuntimeProcess, name: string): Promise<string> {
  const record = (await (await runtime.fetch(`/v1/conversations/${name}`)).json()) as {
    container_id: string;
  };
  return record.container_id;
}

const containersOf = (runtime: RuntimeProcess) =>
  Promise.all(NAMES.map((name) => containerOf(runtime, name)));

/** Everything in it, as an older replica would have it. */
async function copyOf(redis: Redis): Promise<[string, Buffer][]> {
  const keys = await redis.keys('*');
  return Promise.all(
    keys.map(
      async (key): Promise<[string, Buffer]> => [key, (await redis.dumpBuffer(key)) ?? Buffer.alloc(0)],
    ),
  );
}

/** What conversations live through when Redis loses what it knew, on whatever place. */
export function storeIsLost(open: OpenCluster): void {
  it.concurrent('emptied with five conversations live, one executing: all come back, and it goes on', async () => {
    const server = await startRedis();
    const redis = new Redis(server.url);
    try {
      await using cluster = open({}, server.url);
      const [one, two] = [await cluster.start(), await cluster.start()];
      for (const name of NAMES) await one.exec(name, ['bash', '-c', `echo ${name} > mine`]);
      const before = await containersOf(one);
      const answer = await one.post('/v1/conversations/a/execute', { user_input: COUNT });
      const stream = readEvents(answer);
      const seen = [(await stream.next()).value, (await stream.next()).value, (await stream.next()).value];
      await redis.flushall();
      // In the same instant, at both instances: the live containers, not second ones.
      const answers = await Promise.all(
        NAMES.flatMap((name) => [one, two].map((runtime) => runtime.exec(name, ['cat', 'mine']))),
      );
      expect(answers.map(({ stdout }) => stdout)).toEqual(
        NAMES.flatMap((name) => [`${name}\n`, `${name}\n`]),
      );
      expect(await containersOf(two)).toEqual(before);
      expect(await cluster.containers()).toBe(5);
      for await (const event of stream) seen.push(event);
      expect(seen.map((event) => event?.id)).toEqual(seen.map((_, index) => index + 1));
      expect(printed(seen.flatMap((event) => event ?? []))).toBe(COUNTED);
      // The log was written again from what the agent still had.
      const id = seen[0]?.data.execution_id;
      const logged = await allEvents(await two.fetch(`/v1/conversations/a/executions/${id}/events`));
      expect(printed(logged)).toBe(COUNTED);
    } finally {
      redis.disconnect();
      await server.stop();
    }
  });

  it.concurrent('restarted empty: the next request gets its own container', async () => {
    const server = await startRedis();
    try {
      await using cluster = open(poolOf(2), server.url);
      const runtime = await cluster.start();
      await runtime.exec('a', ['bash', '-c', 'echo 1 > mine']);
      const before = await containerOf(runtime, 'a');
      await server.stop();
      await server.start();
      await eventually(async () => {
        expect(await runtime.exec('a', ['cat', 'mine'])).toMatchObject({ stdout: '1\n' });
      });
      expect(await containerOf(runtime, 'a')).toBe(before);
      // The warm ones are nobody's any more: replaced.
      await eventually(async () => {
        const shown = await shownContainers(runtime);
        expect(shown.filter(({ owner }) => owner === 'warm')).toHaveLength(2);
        expect(shown).toHaveLength(3);
      });
    } finally {
      await server.stop();
    }
  });

  it.concurrent("with an older replica's data: no warm container is handed out twice", async () => {
    const server = await startRedis();
    try {
      await using cluster = open(poolOf(3), server.url);
      const runtime = await cluster.start();
      await eventually(async () => {
        expect((await shownContainers(runtime)).filter(({ owner }) => owner === 'warm')).toHaveLength(3);
      });
      const first = new Redis(server.url);
      const old = await copyOf(first);
      first.disconnect();
      for (const name of ['a', 'b', 'c']) await runtime.exec(name, ['bash', '-c', `echo ${name} > mine`]);
      await server.stop();
      await server.start();
      const second = new Redis(server.url);
      for (const [key, dump] of old) await second.restore(key, 0, dump, 'REPLACE');
      second.disconnect();
      // The old data says that the containers of a, b and c are warm.
      const fresh = await Promise.all(
        ['x', 'y', 'z'].map((name) =>
          eventually(async () => {
            const result = await runtime.exec(name, ['bash', '-c', 'ls; cat mine']);
            expect(result).toHaveProperty('stdout');
            return result;
          }),
        ),
      );
      expect(fresh.map(({ stdout }) => stdout)).toEqual(['', '', '']);
      for (const name of ['a', 'b', 'c']) {
        expect(await runtime.exec(name, ['cat', 'mine'])).toMatchObject({ stdout: `${name}\n` });
      }
      const shown = await shownContainers(runtime);
      const owned = shown.flatMap(({ owner }) =>
        typeof owner === 'object' && owner ? [owner.conversation_id] : [],
      );
      expect(owned.sort()).toEqual(['a', 'b', 'c', 'x', 'y', 'z']);
    } finally {
      await server.stop();
    }
  });
}
