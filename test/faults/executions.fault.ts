import Docker from 'dockerode';
import { expect, it } from 'vitest';
import { Cluster, eventually, shownContainers } from '../support/cluster.ts';
import { CuttableRelay } from '../support/cuttable-relay.ts';
import { allEvents, printed, type ReadEvent, readEvents } from '../support/event-reading.ts';
import type { RuntimeProcess } from '../support/runtime-process.ts';
import { describeWith, docker, redis } from '../support/services/provided.ts';

const COUNT = 'import time\nfor i in range(60):\n  print(i, flush=True)\n  time.sleep(0.5)';
const COUNTED = Array.from({ length: 60 }, (_, i) => `${i}\n`).join('');

const execute = (runtime: RuntimeProcess, conversation: string, body: Record<string, unknown>) =>
  runtime.post(`/v1/conversations/${conversation}/execute`, body);

const attach = (runtime: RuntimeProcess, conversation: string, execution: string, after: number) =>
  runtime.fetch(`/v1/conversations/${conversation}/executions/${execution}/events?after=${after}`);

/** Reads until it has seen this many events, then leaves the stream open. */
async function begin(answer: Response, count: number): Promise<Begun> {
  return more(readEvents(answer), count);
}

interface Begun {
  seen: ReadEvent[];
  rest: AsyncGenerator<ReadEvent>;
}

async function more(rest: AsyncGenerator<ReadEvent>, count: number): Promise<Begun> {
  const seen: ReadEvent[] = [];
  while (seen.length < count) {
    const { value, done } = await rest.next();
    if (done === true) throw new Error('the stream ended early');
    seen.push(value);
  }
  return { seen, rest };
}

/** Growing without a hole, one end, and it is the last. */
function expectWhole(events: ReadEvent[]): void {
  expect(events.map(({ id }) => id)).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ type }) => type === 'done' || type === 'error')).toHaveLength(1);
  expect(['done', 'error']).toContain(events.at(-1)?.type);
}

async function until(events: AsyncGenerator<ReadEvent>): Promise<ReadEvent[]> {
  const read: ReadEvent[] = [];
  try {
    for await (const event of events) read.push(event);
  } catch {} // its instance is gone
  return read;
}

const engine = () => new Docker({ socketPath: docker().host.replace('unix://', '') });

describeWith(['docker', 'redis', 's3', 'workspace-base-image'], 'an execution', () => {
  it.concurrent('whose instance is killed goes on: no event twice, none missing, one end', async () => {
    await using cluster = new Cluster(redis().url);
    const [first, second] = [await cluster.start(), await cluster.start()];
    const { seen, rest } = await begin(await execute(first, 'c', { user_input: COUNT }), 8);
    await first.stop('SIGKILL');
    const before = [...seen, ...(await until(rest))];
    const last = before.at(-1);
    const answer = await attach(second, 'c', last?.data.execution_id, last?.id ?? 0);
    const events = [...before, ...(await allEvents(answer))];
    expectWhole(events);
    expect(printed(events)).toBe(COUNTED);
  });

  it.concurrent('whose instance is killed is taken up within 30 s though nobody asks', async () => {
    await using cluster = new Cluster(redis().url);
    const [first, second] = [await cluster.start(), await cluster.start()];
    const input = 'import time; time.sleep(3); open("f", "w").write("x"); print("over")';
    const { seen } = await begin(await execute(first, 'c', { user_input: input }), 1);
    await first.stop('SIGKILL');
    const id = seen[0]?.data.execution_id;
    await eventually(async () => {
      const shown = await (await second.fetch(`/v1/conversations/c/executions/${id}`)).json();
      expect(shown).toMatchObject({ status: 'completed' });
    }, 35);
    const events = await allEvents(await attach(second, 'c', id, 0));
    expectWhole(events);
    expect(printed(events)).toBe('over\n');
  });

  it.concurrent('whose relay is paused past its lease and wakes is written by one relay only', async () => {
    await using cluster = new Cluster(redis().url);
    const [first, second] = [await cluster.start(), await cluster.start()];
    const { seen, rest } = await begin(await execute(first, 'c', { user_input: COUNT }), 5);
    const id = seen[0]?.data.execution_id;
    first.child.kill('SIGSTOP');
    const taken = await attach(second, 'c', id, 0);
    const { seen: early, rest: later } = await begin(taken, 45); // past the lease of 15 s
    first.child.kill('SIGCONT');
    const [ofFirst, ofSecond] = await Promise.all([until(rest), until(later)]);
    const [one, other] = [
      [...seen, ...ofFirst],
      [...early, ...ofSecond],
    ];
    for (const events of [one, other]) {
      expectWhole(events);
      expect(printed(events)).toBe(COUNTED);
    }
    const logged = await allEvents(await attach(second, 'c', id, 0));
    expect(logged.map(({ data }) => data.text)).toEqual(other.map(({ data }) => data.text));
  });

  it.concurrent('told as not run, because its instance was paused before it handed it over, does not run', async () => {
    await using cluster = new Cluster(redis().url);
    const first = await cluster.start({}, { at: 'execute.begun', do: 'freeze' });
    const second = await cluster.start();
    const input = 'open("ran", "w").write("x")\nimport time; time.sleep(60)';
    const answer = execute(first, 'c', { user_input: input });
    await eventually(() => expect(first.output).toContain('fault: freeze'));
    const id = await eventually(async () => {
      const { executions } = (await (await second.fetch('/v1/conversations/c/executions')).json()) as {
        executions: { execution_id: string; status: string }[];
      };
      expect(executions[0]?.status).toBe('lost');
      return executions[0]?.execution_id ?? '';
    });
    first.child.kill('SIGCONT');
    // Its own client is told the same, or that Redis does not answer: its connections are as old as the pause.
    const told = await answer;
    if (told.status === 200) {
      expect((await allEvents(told)).at(-1)?.data).toMatchObject({
        execution_id: id,
        error_type: 'container_lost',
      });
    } else {
      expect(await told.json()).toMatchObject({ status: 503, code: 'STORE_UNAVAILABLE' });
    }
    const next = await allEvents(
      await execute(second, 'c', { user_input: 'import os; print(os.listdir())' }),
    );
    expect(printed(next)).toBe('[]\n');
  });

  it.concurrent('that ended while its first relay was paused leaves the next one alone', async () => {
    await using cluster = new Cluster(redis().url);
    const [first, second] = [await cluster.start(), await cluster.start()];
    const body = { user_input: 'import time; time.sleep(4); print("one")', timeout_seconds: 8 };
    const { seen } = await begin(await execute(first, 'c', body), 1);
    first.child.kill('SIGSTOP');
    const path = `/v1/conversations/c/executions/${seen[0]?.data.execution_id}`;
    await eventually(async () => {
      expect(await (await second.fetch(path)).json()).toMatchObject({ status: 'completed' });
    });
    const next = await begin(await execute(second, 'c', { user_input: COUNT }), 3);
    first.child.kill('SIGCONT'); // its deadline is long past
    const events = [...next.seen, ...(await until(next.rest))];
    expectWhole(events);
    expect(printed(events)).toBe(COUNTED);
  });

  it.concurrent('goes on while Redis is cut off, and its log is whole afterwards', async () => {
    await using relay = await CuttableRelay.open({
      host: '127.0.0.1',
      port: Number(new URL(redis().url).port),
    });
    await using cluster = new Cluster(`redis://127.0.0.1:${relay.port}`);
    const runtime = await cluster.start();
    const { seen, rest } = await begin(await execute(runtime, 'c', { user_input: COUNT }), 5);
    relay.cut();
    const { seen: meanwhile, rest: after } = await more(rest, 10);
    relay.restore();
    const events = [...seen, ...meanwhile, ...(await until(after))];
    expectWhole(events);
    expect(printed(events)).toBe(COUNTED);
    const logged = await allEvents(await attach(runtime, 'c', events[0]?.data.execution_id, 0));
    expectWhole(logged);
    expect(printed(logged)).toBe(COUNTED);
  });

  it.concurrent.for([
    ['is killed', (id: string) => engine().getContainer(id).kill(), /exit code 137/],
    ['is paused', (id: string) => engine().getContainer(id).pause(), /unhealthy|ended by the service/],
  ] as const)('whose container %s is told as lost, and the files are in the next', async ([, harm, why]) => {
    await using cluster = new Cluster(redis().url, { HEALTH_CHECK_INTERVAL_SECONDS: '1' });
    const runtime = await cluster.start();
    await runtime.fetch('/v1/conversations/c/files/kept.txt?durable=true', { method: 'PUT', body: 'kept' });
    const { seen, rest } = await begin(await execute(runtime, 'c', { user_input: COUNT }), 3);
    await harm(seen[0]?.data.container_id);
    const events = [...seen, ...(await until(rest))];
    expectWhole(events);
    expect(events.at(-2)).toMatchObject({ type: 'container_recovered', data: { retry_recommended: true } });
    expect(events.at(-1)?.data).toMatchObject({ error_type: 'container_lost', recoverable: true });
    expect(events.at(-1)?.data.message).toMatch(why);
    expect(await runtime.exec('c', ['cat', 'kept.txt'])).toMatchObject({ stdout: 'kept' });
    const id = seen[0]?.data.execution_id;
    expect(await (await runtime.fetch(`/v1/conversations/c/executions/${id}`)).json()).toMatchObject({
      status: 'lost',
    });
  });

  it.concurrent('that takes all memory is told what happened', async () => {
    await using cluster = new Cluster(redis().url);
    const runtime = await cluster.start();
    const input = 'a = []\nwhile True: a.append(bytearray(64 << 20))';
    const events = await allEvents(await execute(runtime, 'c', { user_input: input }));
    const end = events.at(-1);
    // The kernel takes the script, or the whole container.
    if (end?.type === 'error') expect(end.data).toMatchObject({ error_type: 'container_lost' });
    else expect(end?.data).toMatchObject({ subtype: 'error', exit_code: null });
    expect(await runtime.exec('c', ['echo', 'well'])).toMatchObject({ stdout: 'well\n' });
  });

  it.concurrent('past its deadline costs its container, with its files saved', async () => {
    await using cluster = new Cluster(redis().url);
    const runtime = await cluster.start();
    const input = 'open("f.txt", "w").write("kept")\nimport time; time.sleep(60)';
    const events = await allEvents(await execute(runtime, 'c', { user_input: input, timeout_seconds: 2 }));
    expect(events.at(-1)?.data).toMatchObject({ error_type: 'timeout_error', recoverable: true });
    const before = events[0]?.data.container_id;
    expect(await runtime.exec('c', ['cat', 'f.txt'])).toMatchObject({ stdout: 'kept' });
    const now = (await (await runtime.fetch('/v1/conversations/c')).json()) as { container_id: string };
    expect(now.container_id).not.toBe(before);
  });

  it.concurrent('of an instance that is told to stop goes on at another: three at once', async () => {
    await using cluster = new Cluster(redis().url);
    const [first, second] = [await cluster.start(), await cluster.start()];
    const names = ['a', 'b', 'c'];
    const streams = await Promise.all(
      names.map(async (name) => begin(await execute(first, name, { user_input: COUNT }), 4)),
    );
    const stopped = first.stop('SIGTERM');
    const all = await Promise.all(
      streams.map(async ({ seen, rest }, index) => {
        const before = [...seen, ...(await until(rest))];
        const last = before.at(-1);
        const answer = await attach(second, names[index] ?? '', last?.data.execution_id, last?.id ?? 0);
        return [...before, ...(await allEvents(answer))];
      }),
    );
    expect(await stopped).toBe(0);
    for (const events of all) {
      expectWhole(events);
      expect(printed(events)).toBe(COUNTED);
    }
  });

  it.concurrent('whose client reads nothing goes on; the client that comes back is told of the gap', async () => {
    await using cluster = new Cluster(redis().url);
    const runtime = await cluster.start();
    const input = 'for i in range(20000): print(str(i) * 100)'; // some 10 MB
    const idle = await execute(runtime, 'c', { user_input: input });
    const id = await eventually(async () => {
      const { executions } = (await (await runtime.fetch('/v1/conversations/c/executions')).json()) as {
        executions: { execution_id: string; status: string }[];
      };
      expect(executions[0]?.status).toBe('completed');
      return executions[0]?.execution_id ?? '';
    });
    const events = await allEvents(await attach(runtime, 'c', id, 0));
    expect(events[0]).toMatchObject({ type: 'gap', data: { from: 1 } });
    expect(events[0]?.data.to).toBe((events[1]?.id ?? 0) - 1);
    expect(events.at(-1)).toMatchObject({ type: 'done' });
    expect(printed(events)).toContain('19999'.repeat(100));
    await idle.body?.cancel();
  });

  it.concurrent.for([
    ['continue', 'completed'],
    ['cancel', 'cancelled'],
  ] as const)('whose client vanishes, with on_disconnect %s, is %s', async ([on_disconnect, status]) => {
    await using cluster = new Cluster(redis().url);
    const runtime = await cluster.start();
    const input = 'import time\nprint("go", flush=True)\ntime.sleep(6)';
    const { seen, rest } = await begin(await execute(runtime, 'c', { user_input: input, on_disconnect }), 2);
    await rest.return(undefined);
    const id = seen[0]?.data.execution_id;
    await eventually(async () => {
      const shown = await (await runtime.fetch(`/v1/conversations/c/executions/${id}`)).json();
      expect(shown).toMatchObject({ status });
    }, 30);
    expect(await shownContainers(runtime)).toHaveLength(1);
  });

  it.concurrent('asked for twice with one key, at two instances at once, runs once', async () => {
    await using cluster = new Cluster(redis().url);
    const instances = [await cluster.start(), await cluster.start()];
    const body = { user_input: 'import random; print(random.random())' };
    const answers = await Promise.all(
      [...instances, ...instances].map((runtime) =>
        runtime.post('/v1/conversations/c/execute', body, { headers: { 'idempotency-key': 'once' } }),
      ),
    );
    const outputs = await Promise.all(answers.map(async (answer) => printed(await allEvents(answer))));
    expect(new Set(outputs).size).toBe(1);
    const other = await instances[1]?.post(
      '/v1/conversations/c/execute',
      { user_input: 'print(2)' },
      { headers: { 'idempotency-key': 'once' } },
    );
    expect(await other?.json()).toMatchObject({ status: 409, code: 'IDEMPOTENCY_CONFLICT' });
  });
});
