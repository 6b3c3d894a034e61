import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  attach,
  execute,
  nextId,
  runToEnd,
  SCRIPTED_RUNNER,
  type SeenEvent,
  textOf,
} from './execution-stream.ts';
import { RunningAgent } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start();
});
afterAll(() => agent.stop());

/** Counts its runs, says one, waits for a file of its name, and says two. */
const waiting = (id: string): string =>
  `#!/bin/bash\necho run >>${id}.runs; echo one; until [ -e ${id}.go ]; do sleep 0.01; done; echo two`;
const letGo = (id: string) => writeFileSync(join(agent.root, `${id}.go`), '');
const runs = (id: string) => readFileSync(join(agent.root, `${id}.runs`), 'utf8').split('\n').length - 1;
const refusal = async (body: object | string): Promise<[number, unknown]> => {
  const { status, json } = await agent.call('POST', '/execute', { body });
  return [status, json];
};
const numbers = (events: SeenEvent[]) => events.map(({ seq }) => seq);

describe('the same execution_id again', () => {
  it('attaches to what runs, from its beginning, instead of running it twice', async () => {
    const id = nextId();
    const request = { execution_id: id, user_input: waiting(id) };
    const first = await execute(agent, request);
    await first.until(({ type }) => type === 'text_delta');
    const second = await execute(agent, request);
    await second.until(({ type }) => type === 'text_delta');
    letGo(id);
    const events = await first.end();
    expect(textOf(events)).toBe('one\ntwo\n');
    expect(await second.end()).toEqual(events);
    expect(runs(id)).toBe(1);
  });

  it('runs once when it comes twice at once', async () => {
    const id = nextId();
    const request = { execution_id: id, user_input: waiting(id) };
    letGo(id);
    const streams = await Promise.all([execute(agent, request), execute(agent, request)]);
    const [events, same] = await Promise.all(streams.map((stream) => stream.end()));
    expect(textOf(events ?? [])).toBe('one\ntwo\n');
    expect(same).toEqual(events);
    expect(runs(id)).toBe(1);
  });

  it('replays what has ended, and runs nothing', async () => {
    const id = nextId();
    letGo(id);
    const events = await runToEnd(agent, waiting(id), { execution_id: id });
    expect(await runToEnd(agent, waiting(id), { execution_id: id })).toEqual(events);
    expect(runs(id)).toBe(1);
  });
});

describe('another execution while one runs', () => {
  it('is refused with the id of the one that runs, and remembered nowhere', async () => {
    const [id, other] = [nextId(), nextId()];
    const stream = await execute(agent, { execution_id: id, user_input: waiting(id) });
    const [status, json] = await refusal({ execution_id: other, user_input: 'print(1)' });
    expect(status).toBe(409);
    expect(json).toEqual({ code: 'EXECUTION_RUNNING', message: expect.any(String), execution_id: id });
    letGo(id);
    await stream.end();
    expect(textOf(await runToEnd(agent, 'print(1)', { execution_id: other }))).toBe('1\n');
  });
});

describe('attaching to an execution', () => {
  it('goes on after the number that was seen', async () => {
    const id = nextId();
    const stream = await execute(agent, { execution_id: id, user_input: waiting(id) });
    await stream.until(({ type }) => type === 'text_delta');
    const later = await attach(agent, id, 1);
    letGo(id);
    const events = await stream.end();
    expect(numbers(events)).toEqual([1, 2, 3]);
    expect(await later.end()).toEqual(events.slice(1));
    expect(await (await attach(agent, id)).end()).toEqual(events);
    expect(await (await attach(agent, id, 2)).end()).toEqual(events.slice(2));
    expect(await (await attach(agent, id, 3)).end()).toEqual([]);
  });

  it('after any number of cut connections sees every event once', async () => {
    const quick = await RunningAgent.startForTest({ AGENT_COMMAND: SCRIPTED_RUNNER });
    const script = `for (let n = 1; n <= 3000; n += 1) {
      say({ type: 'text_delta', text: n + ' ' + 'x'.repeat(n % 500) });
      if (n % 50 === 0) await new Promise((next) => setTimeout(next, 1));
    }
    say({ type: 'done', subtype: 'success' });`;
    const seen: SeenEvent[] = [];
    let connections = 0;
    await execute(quick, { execution_id: 'cut', user_input: script }).then((stream) => stream.leave());
    while (seen.at(-1)?.type !== 'done') {
      connections += 1;
      const stream = await attach(quick, 'cut', seen.at(-1)?.seq ?? 0);
      const enough = 100 + 37 * connections;
      await expect
        .poll(() => stream.events.length >= enough || stream.res.complete, { interval: 1 })
        .toBe(true);
      stream.leave();
      seen.push(...stream.events.slice(0, enough));
    }
    expect(connections).toBeGreaterThan(5);
    expect(numbers(seen)).toEqual(Array.from({ length: 3001 }, (_, index) => index + 1));
    expect(seen.slice(0, 3000).every((event, index) => textOf([event]).startsWith(`${index + 1} `))).toBe(
      true,
    );
  });

  it('is refused for one that there never was, and for numbers that are none', async () => {
    const events = (path: string) => agent.call('GET', path);
    expect((await events('/executions/no-such/events')).json.code).toBe('EXECUTION_NOT_FOUND');
    expect((await events('/executions/no-such/events')).status).toBe(404);
    expect((await events('/executions/no-such/else')).json.code).toBe('ROUTE_NOT_FOUND');
    expect((await agent.call('POST', '/executions/no-such/events')).status).toBe(405);
    const id = nextId();
    const { length } = await runToEnd(agent, 'print(1)', { execution_id: id });
    for (const after of ['x', '-1', '1.5', '', '9'.repeat(30), length + 1]) {
      const { status, json } = await events(`/executions/${id}/events?after=${after}`);
      expect([status, json.code]).toEqual([400, 'INVALID_REQUEST']);
    }
  });

  it('needs the token', async () => {
    for (const [method, path] of [
      ['POST', '/execute'],
      ['GET', '/executions/x/events'],
      ['POST', '/executions/x/cancel'],
    ] as const) {
      expect((await agent.call(method, path, { token: null })).status).toBe(401);
    }
  });
});

describe('executions that have ended', () => {
  it('are kept for a while; then they are gone, and never run again', async () => {
    const fresh = await RunningAgent.startForTest();
    const ids = Array.from({ length: 9 }, (_, index) => `e${index}`);
    for (const id of ids) await runToEnd(fresh, '#!/bin/bash\necho run >>runs', { execution_id: id });
    const [oldest = '', ...kept] = ids;
    for (const id of kept) expect((await (await attach(fresh, id)).end()).length).toBe(1);

    const again = { body: { execution_id: oldest, user_input: '#!/bin/bash\necho run >>runs' } };
    const { status, json } = await fresh.call('POST', '/execute', again);
    expect([status, json.code]).toEqual([410, 'EXECUTION_FORGOTTEN']);
    expect((await fresh.call('GET', `/executions/${oldest}/events`)).status).toBe(410);
    expect((await fresh.call('POST', `/executions/${oldest}/cancel`)).json).toEqual({ status: 'ended' });
    expect(readFileSync(join(fresh.root, 'runs'), 'utf8')).toBe('run\n'.repeat(9));
  });

  it('are kept to 8 MiB together', async () => {
    const fresh = await RunningAgent.startForTest();
    const script = '#!/bin/bash\nhead -c 3000000 /dev/zero | tr "\\0" x';
    for (const id of ['a', 'b', 'c']) await runToEnd(fresh, script, { execution_id: id });
    const status = async (id: string) => (await fresh.call('GET', `/executions/${id}/events`)).status;
    expect([await status('a'), await status('b'), await status('c')]).toEqual([410, 200, 200]);
  });
});

describe('/execute', () => {
  const good = { execution_id: 'x', user_input: 'print(1)' };
  it.each([
    ['no JSON', '{'],
    ['no object', []],
    ['no id', { user_input: '' }],
    ['an id with other characters', { ...good, execution_id: 'a/b' }],
    ['a long id', { ...good, execution_id: 'x'.repeat(65) }],
    ['no input', { execution_id: 'x' }],
    ['an input that is no text', { ...good, user_input: ['x'] }],
    ['a prompt that is no text', { ...good, system_prompt: 1 }],
    ['a model that is no text', { ...good, model: null }],
    ['a session that is no text', { ...good, session_id: {} }],
    ['no turns', { ...good, max_turns: 0 }],
    ['half a turn', { ...good, max_turns: 1.5 }],
    ['tools that are no texts', { ...good, allowed_tools: ['a', 1] }],
    ['an environment that is none', { ...good, env: { A: 1 } }],
    ['a place that is none', { ...good, cwd: '' }],
    ['no time', { ...good, timeout_seconds: 0 }],
    ['more than a day', { ...good, timeout_seconds: 86_401 }],
    ['time that is no number', { ...good, timeout_seconds: '5' }],
    ['servers that are no object', { ...good, mcp_server_configs: [] }],
    ['a directory that is not there', { ...good, cwd: 'not/there' }],
  ])('refuses %s, and remembers nothing of it', async (_name, body) => {
    const [status, json] = await refusal(body);
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'INVALID_REQUEST' });
    expect((await agent.call('GET', '/executions/x/events')).status).toBe(404);
    expect((await agent.call('GET', '/health')).json.executions).toEqual([]);
  });

  it('refuses a body over 8 MiB', async () => {
    const [status, json] = await refusal({ ...good, user_input: '#'.repeat(8 * 1024 * 1024) });
    expect(status).toBe(413);
    expect(json).toMatchObject({ code: 'BODY_TOO_LARGE' });
  });

  it('tells a missing program before any event, and takes the id once it is there', async () => {
    const request = { execution_id: nextId(), user_input: 'print(1)' };
    const [status, json] = await refusal({ ...request, env: { PATH: '/no/where' } });
    expect(status).toBe(400);
    expect(json).toMatchObject({ code: 'COMMAND_NOT_FOUND', message: expect.stringContaining('python3') });
    expect(textOf(await (await execute(agent, request)).end())).toBe('1\n');
  });
});
