import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runToEnd, SCRIPTED_RUNNER, type SeenEvent, unnumbered } from './execution-stream.ts';
import { isAlive, RunningAgent } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start({ AGENT_COMMAND: SCRIPTED_RUNNER, AGENT_KILL_AFTER_SECONDS: '0.3' });
});
afterAll(() => agent.stop());

const run = (script: string, more?: object): Promise<SeenEvent[]> => runToEnd(agent, script, more);

const DONE = 'say({ type: "done", subtype: "success" });';

describe('a runner', () => {
  it('gets the request as one line on stdin, and its events go out as it said them', async () => {
    const request = {
      execution_id: 'all-fields',
      user_input:
        'say({ type: "system", stdin }); say({ type: "thinking", text: "hm", more: [1] });' +
        'say({ type: "tool_use", id: "t", name: "n", input: null });' +
        'say({ type: "tool_result", id: "t", content: [{ text: "€" }], is_error: false });' +
        'say({ type: "text_delta", text: "a\\nb" });' +
        'say({ type: "done", subtype: "x", result: "r", usage: { tokens: 1 }, cost_usd: 0.5, exit_code: null });',
      system_prompt: 'be\nbrief',
      model: 'a-model',
      session_id: 's',
      max_turns: 3,
      allowed_tools: ['bash'],
      cwd: '.',
      env: { A: 'b' },
      timeout_seconds: 20,
      mcp_server_configs: { one: { url: 'x' } },
    };
    const [system, ...rest] = unnumbered(await run(request.user_input, request));
    const { stdin } = system as unknown as { stdin: string };
    expect(stdin).toMatch(/^[^\n]+\n$/);
    expect(JSON.parse(stdin)).toEqual(request);
    expect(rest).toEqual([
      { type: 'thinking', text: 'hm', more: [1] },
      { type: 'tool_use', id: 't', name: 'n', input: null },
      { type: 'tool_result', id: 't', content: [{ text: '€' }], is_error: false },
      { type: 'text_delta', text: 'a\nb' },
      { type: 'done', subtype: 'x', result: 'r', usage: { tokens: 1 }, cost_usd: 0.5, exit_code: null },
    ]);
  });

  it('that is not there is a refusal before any event', async () => {
    const other = await RunningAgent.startForTest({ AGENT_COMMAND: 'no-such-runner --now' });
    const body = { execution_id: 'x', user_input: '' };
    const { status, json } = await other.call('POST', '/execute', { body });
    expect(status).toBe(400);
    expect(json).toMatchObject({
      code: 'COMMAND_NOT_FOUND',
      message: expect.stringContaining('no-such-runner'),
    });
    expect((await other.call('GET', '/executions/x/events')).status).toBe(404);
  });

  it('gets no field that the contract does not have', async () => {
    const [system] = await run(`say({ type: "system", names: Object.keys(request) }); ${DONE}`, { extra: 1 });
    expect(system).toMatchObject({ names: ['execution_id', 'user_input'] });
  });

  it('runs in the workspace or where the request says, with the environment a command has', async () => {
    await agent.call('PUT', '/files/inner/file', { body: '' });
    const script = `say({ type: "system", cwd: process.cwd(), env: process.env }); ${DONE}`;
    const [there] = await run(script, { cwd: 'inner', env: { HOME: '/home/x', A: 'b' } });
    expect(there).toMatchObject({ cwd: `${agent.root}/inner`, env: { HOME: '/home/x', A: 'b' } });
    const [here] = await run(script);
    expect(here).toMatchObject({ cwd: agent.root, env: { HOME: '/nonexistent' } });
    const names = Object.keys((here as unknown as { env: object }).env);
    expect(names.filter((name) => /^(AGENT|BERTH)_/.test(name))).toEqual([]);
  });

  it('may end with an error of its own, and need not end the last line', async () => {
    const error = {
      type: 'error',
      error_type: 'context_limit_exceeded',
      message: 'full',
      recoverable: false,
    };
    expect(unnumbered(await run(`raw('\\n  \\n' + ${JSON.stringify(JSON.stringify(error))})`))).toEqual([
      error,
    ]);
  });

  it('is not read any more after its first done or error', async () => {
    const events = await run(
      `raw('{"type":"done","subtype":"success"}\\nnonsense\\n'); say({ type: "system" }); process.exit(7)`,
    );
    expect(unnumbered(events)).toEqual([{ type: 'done', subtype: 'success' }]);
  });

  it('is killed when it stays after its end, with everything it started', async () => {
    const script = `process.on('SIGTERM', () => {});
      const child = require('child_process').spawn('sleep', ['60'], { stdio: 'inherit' });
      say({ type: 'system', pids: [process.pid, child.pid] });
      ${DONE} setInterval(() => raw('more\\n'), 10);`;
    const events = await run(script);
    expect(events.at(-1)).toMatchObject({ type: 'done', subtype: 'success' });
    const { pids } = events[0] as unknown as { pids: number[] };
    expect(pids.length).toBe(2);
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('writes its stderr to the log of the agent, line by line', async () => {
    await run(`console.error('one\\ntwo'); process.stderr.write('half'); ${DONE}`);
    expect(agent.stderr).toContain('one\ntwo\nhalf\n');
  });
});

describe('a line of a runner', () => {
  const wrong: [name: string, line: string | Buffer, why: string][] = [
    ['no JSON', 'Traceback (most recent call last):', 'not JSON'],
    ['half of JSON', '{"type":"system"', 'not JSON'],
    ['no UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), 'not UTF-8'],
    ['a string', '"text_delta"', 'not an object'],
    ['an array', '[{"type":"system"}]', 'not an object'],
    ['null', 'null', 'not an object'],
    ['no type', '{"text":"x"}', 'not of a known type'],
    ['an unknown type', '{"type":"sing"}', 'not of a known type'],
    ['a type that every object has', '{"type":"constructor"}', 'not of a known type'],
    ['a gap', '{"type":"gap","from":1,"to":2}', 'not of a known type'],
    ['a text that is none', '{"type":"text_delta","text":1}', 'not the shape of text_delta'],
    ['a stream that is none', '{"type":"text_delta","text":"","stream":"x"}', 'not the shape of text_delta'],
    ['a thought without text', '{"type":"thinking"}', 'not the shape of thinking'],
    ['a tool without input', '{"type":"tool_use","id":"a","name":"b"}', 'not the shape of tool_use'],
    ['a tool without id', '{"type":"tool_use","name":"b","input":{}}', 'not the shape of tool_use'],
    [
      'a result of no use',
      '{"type":"tool_result","content":"","is_error":true}',
      'not the shape of tool_result',
    ],
    ['a result, good or bad', '{"type":"tool_result","id":"a","content":""}', 'not the shape of tool_result'],
    ['an end of no kind', '{"type":"done"}', 'not the shape of done'],
    ['turns that are no number', '{"type":"done","subtype":"s","num_turns":"1"}', 'not the shape of done'],
    ['an error of no kind', '{"type":"error","message":"","recoverable":true}', 'not the shape of error'],
    [
      "an error of another's",
      '{"type":"error","error_type":"container_lost","message":"","recoverable":true}',
      'not the shape of error',
    ],
  ];
  it.each(wrong)('that is no event ends the execution and is named: %s', async (_name, line, why) => {
    const base64 = Buffer.from(line).toString('base64');
    const script = `say({ type: "system", pid: process.pid });
      raw(Buffer.concat([Buffer.from('${base64}', 'base64'), Buffer.from('\\n')])); ${DONE} setInterval(() => {}, 1000)`;
    const events = await run(script);
    const named = Buffer.from(line).toString().slice(0, 200);
    const message = `the runner wrote a line that is no event (${why}): ${named}`;
    const error = { type: 'error', error_type: 'execution_error', message, recoverable: false };
    expect(unnumbered(events)).toEqual([{ type: 'system', pid: expect.any(Number) }, error]);
    expect(isAlive((events[0] as unknown as { pid: number }).pid)).toBe(false);
  });

  it('is named by its first 200 characters', async () => {
    const [error] = await run('raw("€".repeat(5000) + "\\n")');
    expect(error).toMatchObject({ message: expect.stringMatching(/: €{200}$/) });
  });

  it('may have 1 MiB − 4 KiB and no more, ended or not', async () => {
    const most = 1024 * 1024 - 4096;
    const line = (length: number) => `'{"type":"text_delta","text":"' + 'x'.repeat(${length - 31}) + '"}'`;
    const [longest] = await run(`raw(${line(most)} + '\\n'); ${DONE}`);
    expect(JSON.stringify({ ...longest, seq: undefined }).length).toBe(most);
    for (const end of [`+ '\\n'`, '']) {
      const [tooLong] = await run(`raw(${line(most + 1)} ${end}); setInterval(() => {}, 1000)`);
      expect(tooLong).toMatchObject({
        message: expect.stringContaining(`(longer than ${most} bytes): {"type"`),
      });
    }
  });

  it('may come in any pieces, and have blanks around and carriage returns in it', async () => {
    const script = `const bytes = Buffer.from(' {"type":"text_delta",\\r"text":"€😀"}\\r\\n\\t{"type":"done",\\r"subtype":"s"} \\r\\n');
      for (const byte of bytes) { raw(Buffer.from([byte])); await new Promise((next) => setImmediate(next)); }`;
    expect(unnumbered(await run(script))).toEqual([
      { type: 'text_delta', text: '€😀' },
      { type: 'done', subtype: 's' },
    ]);
  });

  it('may hold what looks like the end of an event', async () => {
    const text = '\n\nid: 7\nevent: done\ndata: {}\n\n\u2028';
    const [event] = await run(`say({ type: "text_delta", text: ${JSON.stringify(text)} }); ${DONE}`);
    expect(event).toMatchObject({ text, seq: 1 });
  });
});

describe('a runner that ends without done or error', () => {
  const end = async (script: string): Promise<SeenEvent> => {
    const events = await run(script);
    expect(events.length).toBe(1);
    expect(events[0]).toMatchObject({ type: 'error', error_type: 'execution_error', recoverable: false });
    return events[0] as SeenEvent;
  };

  it('is told with its exit code', async () => {
    expect(await end('process.exit(0)')).toMatchObject({
      message: 'the runner ended with exit code 0 before it said done or error',
    });
    expect(await end('process.exit(9)')).toMatchObject({
      message: expect.stringContaining('with exit code 9'),
    });
  });

  it('is told with the last 2 KiB of its stderr', async () => {
    const error = await end(`process.stderr.write('early' + '€'.repeat(1000) + 'late'); process.exit(1)`);
    expect(error).toMatchObject({
      message: expect.stringMatching(/exit code 1 .*; its last words: €+late$/),
    });
    const { message } = error as { message: string };
    expect(Buffer.byteLength(message.slice(message.indexOf('€')))).toBeGreaterThan(2048 - 4);
    expect(Buffer.byteLength(message.slice(message.indexOf('€')))).toBeLessThanOrEqual(2048);
  });

  it('is told with its signal, and SIGKILL with what that mostly means', async () => {
    expect(await end(`process.kill(process.pid, 'SIGABRT')`)).toMatchObject({
      message: expect.stringMatching(/by SIGABRT before it said done or error$/),
    });
    expect(await end(`process.kill(process.pid, 'SIGKILL')`)).toMatchObject({
      message: expect.stringMatching(/by SIGKILL .*; it may have run out of memory$/),
    });
  });

  it('is told by its signal even when that cut off a line', async () => {
    const script = `raw('{"type":"text_delta","te'); process.kill(process.pid, 'SIGKILL')`;
    expect(await end(script)).toMatchObject({ message: expect.stringContaining('SIGKILL') });
  });

  it('is told by its last line when that is half a line and it ended well', async () => {
    expect(await end(`raw('{"type":"text_delta","te')`)).toMatchObject({
      message: 'the runner wrote a line that is no event (not JSON): {"type":"text_delta","te',
    });
  });
});
