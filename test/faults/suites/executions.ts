import { expect, it } from 'vitest';
import { eventually, type OpenCluster, shownContainers } from '../../support/cluster.ts';
import { CuttableRelay } from '../../support/cuttable-relay.ts';
import { allEvents, printed } from '../../support/event-reading.ts';
import { redis } from '../../support/services/provided.ts';
import { attach, begin, COUNT, COUNTED, execute, expectWhole, more, until } from './execution-reading.ts';

/** What becomes of an execution whose container, store or client fails it, on whatever place. */
export function executionsMeetTrouble(open: OpenCluster): void {
  it.concurrent('goes on while Redis is cut off, and its log is whole afterwards', async () => {
    await using relay = await CuttableRelay.open({
      host: '127.0.0.1',
      port: Number(new URL(redis().url).port),
    });
    await using cluster = open({}, `redis://127.0.0.1:${relay.port}`);
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
    ['is killed', 'kill', /exit code 137/],
    ['answers no more', 'silence', /unhealthy|ended by the service/],
  ] as const)('whose container %s is told as lost, and the files are in the next', async ([, harm, why]) => {
    await using cluster = open({ HEALTH_CHECK_INTERVAL_SECONDS: '1' });
    const runtime = await cluster.start();
    await runtime.fetch('/v1/conversations/c/files/kept.txt?durable=true', { method: 'PUT', body: 'kept' });
    const { seen, rest } = await begin(await execute(runtime, 'c', { user_input: COUNT }), 3);
    await cluster.place[harm](seen[0]?.data.container_id);
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
    await using cluster = open();
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
    await using cluster = open();
    const runtime = await cluster.start();
    const input = 'open("f.txt", "w").write("kept")\nimport time; time.sleep(60)';
    const events = await allEvents(await execute(runtime, 'c', { user_input: input, timeout_seconds: 2 }));
    expect(events.at(-1)?.data).toMatchObject({ error_type: 'timeout_error', recoverable: true });
    const before = events[0]?.data.container_id;
    expect(await runtime.exec('c', ['cat', 'f.txt'])).toMatchObject({ stdout: 'kept' });
    const now = (await (await runtime.fetch('/v1/conversations/c')).json()) as { container_id: string };
    expect(now.container_id).not.toBe(before);
  });

  it.concurrent('whose client reads nothing goes on; the client that comes back is told of the gap', async () => {
    await using cluster = open();
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
    await using cluster = open();
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
}
