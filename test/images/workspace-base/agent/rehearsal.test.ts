import { once } from 'node:events';
import { mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Activity } from '../../../../images/workspace-base/agent/activity.ts';
import type { Agent } from '../../../../images/workspace-base/agent/agent.ts';
import { Assignment } from '../../../../images/workspace-base/agent/assignment.ts';
import { PipeSupply } from '../../../../images/workspace-base/agent/exec/pipe-supply.ts';
import { RunningCommands } from '../../../../images/workspace-base/agent/exec/running-commands.ts';
import { Executions } from '../../../../images/workspace-base/agent/executions/executions.ts';
import { rehearse } from '../../../../images/workspace-base/agent/rehearsal.ts';
import { createAgentServer } from '../../../../images/workspace-base/agent/server.ts';
import { Terminals } from '../../../../images/workspace-base/agent/terminals/terminals.ts';
import { Token } from '../../../../images/workspace-base/agent/token.ts';
import { runToEnd, textOf } from './execution-stream.ts';
import { RunningAgent, TOKEN } from './running-agent.ts';

describe('a rehearsal', () => {
  let agent: Agent;
  let server: Server;

  beforeEach(() => {
    agent = {
      version: '1.2.3',
      token: new Token(TOKEN),
      root: realpathSync(mkdtempSync(join(tmpdir(), 'berth-rehearsal-'))),
      inheritedEnv: {},
      killAfterMs: 100,
      command: undefined,
      assignment: new Assignment(),
      activity: new Activity(),
      commands: new RunningCommands(),
      pipes: new PipeSupply(),
      executions: new Executions(),
      terminals: new Terminals(),
    };
    server = createAgentServer(agent);
  });

  afterEach(() => {
    vi.restoreAllMocks();
    agent.pipes.close();
    rmSync(agent.root, { recursive: true });
  });

  it('has its calls refused, logs nothing, and leaves no connection and no call open', async () => {
    const logged = vi.spyOn(console, 'error');
    const answers: string[] = [];
    server.on('request', (req, res) =>
      res.on('finish', () => answers.push(`${req.method} ${req.url} ${res.statusCode}`)),
    );
    const connected = once(server, 'connection');
    const [begin, end] = [vi.spyOn(agent.activity, 'begin'), vi.spyOn(agent.activity, 'end')];
    rehearse(server, TOKEN);
    const [connection] = await connected;
    await once(connection, 'close');
    const each = ['POST /assign 400', 'POST /exec 400', 'POST /execute 400'];
    expect(answers.length).toBeGreaterThan(each.length);
    expect(answers).toEqual(answers.map((_, at) => each[at % each.length]));
    expect(logged).not.toHaveBeenCalled();
    expect([begin.mock.calls.length, end.mock.calls.length]).toEqual([answers.length, answers.length]);
  });

  it('leaves no ticket, no execution and no file', async () => {
    const connected = once(server, 'connection');
    rehearse(server, TOKEN);
    await once((await connected)[0], 'close');
    expect(agent.assignment.ticket).toBeNull();
    expect(agent.executions.running).toEqual([]);
    expect(readdirSync(agent.root)).toEqual([]);
  });
});

it('an agent that has rehearsed is as new: it can be assigned, and runs a command and an execution', async () => {
  const agent = await RunningAgent.startForTest();
  const before = (await agent.call('GET', '/health')).json;
  // The pipes for commands are made when it rehearses.
  const temporary = join(dirname(agent.root), 'tmp');
  await vi.waitFor(() => expect(readdirSync(temporary)).toHaveLength(1), { timeout: 10_000 });
  expect((await agent.call('GET', '/health')).json).toEqual(before);
  expect(before).toMatchObject({ ticket: null, executions: [] });
  const assigned = await agent.call('POST', '/assign', { body: { ticket: 'mine', env: { WHO: 'me' } } });
  expect(assigned.status).toBe(200);
  expect((await agent.call('GET', '/health')).json.ticket).toBe('mine');
  expect((await agent.sh('echo $WHO')).stdout).toBe('me\n');
  expect(textOf(await runToEnd(agent, 'print("first")'))).toBe('first\n');
  expect(agent.stderr).toBe('');
});
