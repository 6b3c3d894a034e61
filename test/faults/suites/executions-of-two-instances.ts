import { expect, it } from 'vitest';
import { eventually, type OpenCluster } from '../../support/cluster.ts';
import { allEvents, printed } from '../../support/event-reading.ts';
import { attach, begin, COUNT, COUNTED, execute, expectWhole, until } from './execution-reading.ts';

/** What becomes of an execution whose instance goes, on whatever place. */
export function executionsOfTwoInstances(open: OpenCluster): void {
  it.concurrent('whose instance is killed goes on: no event twice, none missing, one end', async () => {
    await using cluster = open();
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
    await using cluster = open();
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
    await using cluster = open();
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
    await using cluster = open();
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
    await using cluster = open();
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

  it.concurrent('of an instance that is told to stop goes on at another: three at once', async () => {
    await using cluster = open();
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

  it.concurrent('asked for twice with one key, at two instances at once, runs once', async () => {
    await using cluster = open();
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
}
