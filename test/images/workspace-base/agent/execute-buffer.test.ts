import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { attach, execute, nextId, runToEnd, SCRIPTED_RUNNER, type SeenEvent } from './execution-stream.ts';
import { RunningAgent } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start({ AGENT_COMMAND: SCRIPTED_RUNNER, AGENT_KILL_AFTER_SECONDS: '0.3' });
  await runToEnd(agent, saying(2_000)); // what is allocated once and kept
});
afterAll(() => agent.stop());
afterEach(async () => {
  const { executions } = (await agent.call('GET', '/health')).json;
  for (const id of executions) await agent.call('POST', `/executions/${id}/cancel`);
  await expect.poll(async () => (await agent.call('GET', '/health')).json.executions).toEqual([]);
});

/** Says `count` events of 4 KiB, each with its number, and then done; `then` comes before that. */
const saying = (count: number, then = ''): string => `
  const text = 'x'.repeat(4000);
  for (let n = 1; n <= ${count}; n += 1) say({ type: 'text_delta', text: n + ' ' + text });
  ${then}
  say({ type: 'done', subtype: 'success' });`;

/** Every event is the next one, or a gap that ends right before it. */
function expectUnbroken(events: SeenEvent[], last: number): void {
  let next = 1;
  for (const event of events) {
    if (event.type === 'gap') {
      expect(event.from).toBe(next);
      expect(event.seq).toBe(event.to);
      expect(event.to).toBeGreaterThanOrEqual(event.from);
    } else {
      expect(event.seq).toBe(next);
      if (event.type === 'text_delta') expect(event.text.startsWith(`${next} x`)).toBe(true);
    }
    next = event.seq + 1;
  }
  expect(next - 1).toBe(last);
}

const gaps = (events: SeenEvent[]) => events.filter(({ type }) => type === 'gap');

/** The most anonymous memory that the agent is seen to have until something is over, in kB above what it has now. */
async function growthUntil(over: Promise<unknown>): Promise<number> {
  const before = agent.anonymousMemory();
  let [most, done] = [before, false];
  const finish = () => {
    done = true;
  };
  over.then(finish, finish);
  while (!done) {
    most = Math.max(most, agent.anonymousMemory());
    await sleep(10);
  }
  return most - before;
}

describe('a reader that keeps up', () => {
  it('gets 20 MB whole', async () => {
    const events = await runToEnd(agent, saying(5_000));
    expect(gaps(events)).toEqual([]);
    expectUnbroken(events, 5_001);
  });

  it('gets all of it beside another that does, and beside one that reads nothing', async () => {
    const id = nextId();
    const go = join(agent.root, id);
    const script = `while (!require('fs').existsSync('${go}')) await new Promise((next) => setTimeout(next, 5));
      ${saying(5_000)}`;
    const first = await execute(agent, { execution_id: id, user_input: script });
    const second = await attach(agent, id);
    const deaf = await agent.open('GET', `/executions/${id}/events`); // nothing reads it
    writeFileSync(go, '');
    for (const stream of [first, second]) {
      const events = await stream.end();
      expect(gaps(events)).toEqual([]);
      expectUnbroken(events, 5_001);
    }
    deaf.destroy();
  });
});

describe('a reader that is slow', () => {
  it('misses nothing as long as it takes something now and then: the runner waits', async () => {
    const id = nextId();
    const said = join(agent.root, `${id}-said`);
    const body = {
      execution_id: id,
      user_input: saying(4_000, `require('fs').writeFileSync('${said}', '');`),
    };
    const res = await agent.open('POST', '/execute', { body });
    let bytes = 0;
    let saidAfter: number | undefined;
    let tail = '';
    for await (const chunk of res) {
      bytes += chunk.length;
      tail = (tail + chunk).slice(-200);
      if (saidAfter === undefined && existsSync(said)) saidAfter = bytes;
      if (bytes < 2_000_000) await sleep(20);
    }
    expect(tail).toContain('id: 4001\nevent: done\n');
    expect(bytes).toBeGreaterThan(4_000 * 4_000);
    // What it had not read when the runner was through is what buffers hold, not all.
    expect(saidAfter).toBeGreaterThan(4_000 * 4_000 - 6_000_000);
  });

  it('and takes nothing for two seconds no longer holds up the execution, and is told the gap', async () => {
    const id = nextId();
    const said = join(agent.root, `${id}-said`);
    const body = {
      execution_id: id,
      user_input: saying(5_000, `require('fs').writeFileSync('${said}', '');`),
    };
    const since = performance.now();
    const res = await agent.open('POST', '/execute', { body });
    await once(res, 'readable'); // and reads no further
    const through = expect.poll(() => existsSync(said), { timeout: 20_000 }).toBe(true);
    expect(await growthUntil(through)).toBeLessThan(40_000);
    await through;
    expect(performance.now() - since).toBeGreaterThan(2_000);

    const events: SeenEvent[] = [];
    const text = (await res.setEncoding('utf8').toArray()).join('');
    for (const block of text.split('\n\n').filter((block) => block !== '')) {
      const [, seq, data = ''] = /^id: (\d+)\nevent: \w+\ndata: (.*)$/.exec(block) ?? [];
      events.push({ ...JSON.parse(data), seq: Number(seq) });
    }
    expect(gaps(events).length).toBeGreaterThan(0);
    expectUnbroken(events, 5_001);
    expect(events.at(-1)).toMatchObject({ type: 'done' });
  });
});

describe('an execution that nobody reads', () => {
  it('is not held up, and keeps its last 4 MiB', async () => {
    const id = nextId();
    const stream = await execute(agent, { execution_id: id, user_input: saying(5_000) });
    stream.leave();
    const running = async () => (await agent.call('GET', '/health')).json.executions;
    await expect.poll(running, { timeout: 10_000 }).toEqual([]);
    const late = await (await attach(agent, id)).end();
    const [gap, first] = late;
    expect(gaps(late)).toEqual([gap]);
    expect(gap).toMatchObject({ type: 'gap', from: 1, to: (first?.seq ?? 0) - 1 });
    expectUnbroken(late, 5_001);
    const kept = late.slice(1).reduce((sum, event) => sum + JSON.stringify(event).length, 0);
    expect(kept).toBeGreaterThan(3.8 * 1024 * 1024);
    expect(kept).toBeLessThanOrEqual(4 * 1024 * 1024);
    // What came before is gone, so that much is missing wherever one begins.
    const later = await (await attach(agent, id, 10)).end();
    expect(later[0]).toMatchObject({ type: 'gap', from: 11, to: gap?.seq });
  });

  it('takes no more memory however much it says', async () => {
    const id = nextId();
    const stream = await execute(agent, { execution_id: id, user_input: saying(50_000) });
    stream.leave();
    const ended = expect
      .poll(async () => (await agent.call('GET', '/health')).json.executions, {
        timeout: 25_000,
        interval: 100,
      })
      .toEqual([]);
    expect(await growthUntil(ended)).toBeLessThan(40_000);
    await ended;
    const last = await (await attach(agent, id)).end();
    expect(last.at(-1)).toMatchObject({ type: 'done', seq: 50_001 });
  });
});
