import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { execute, nextId, runToEnd, SCRIPTED_RUNNER, textOf } from './execution-stream.ts';
import { isAlive, RunningAgent } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start({ AGENT_KILL_AFTER_SECONDS: '0.5' });
});
afterAll(() => agent.stop());
beforeEach(() => {
  for (const name of readdirSync(agent.root)) rmSync(join(agent.root, name));
});

/** The pids that a script has written to files called `pid-*`, once there are `count` of them. */
async function pids(count: number, root = agent.root): Promise<number[]> {
  const names = () => readdirSync(root).filter((name) => name.startsWith('pid-'));
  const read = () => names().map((name) => Number(readFileSync(join(root, name), 'utf8')));
  await expect.poll(() => read().filter((pid) => pid > 0).length, { timeout: 5_000 }).toBe(count);
  return read();
}

const STUBBORN_FAMILY = `#!/bin/bash
  trap '' TERM
  echo $$ >pid-main
  sh -c 'trap "" TERM; echo $$ >pid-child; while :; do sleep 1; done' &
  timeout 60 sh -c 'trap "" TERM; sh -c "echo \\$PPID >pid-grandchild; exec sleep 60"' &
  echo started
  while :; do sleep 1; done`;

const cancel = (id: string) => agent.call('POST', `/executions/${id}/cancel`);
const CANCELLED = {
  type: 'error',
  error_type: 'cancelled',
  message: 'the execution was cancelled',
  recoverable: true,
};

describe('cancelling an execution', () => {
  it('kills everything it started, and ends its events', async () => {
    const id = nextId();
    const stream = await execute(agent, { execution_id: id, user_input: STUBBORN_FAMILY });
    const family = await pids(3);
    expect(family.filter(isAlive).length).toBe(3);
    const { status, json } = await cancel(id);
    expect([status, json]).toEqual([202, { status: 'cancelling' }]);
    const events = await stream.end();
    expect(events.at(-1)).toMatchObject(CANCELLED);
    expect(textOf(events)).toBe('started\n');
    expect(family.filter(isAlive)).toEqual([]);
  });

  it('may be asked for any number of times, also after the end', async () => {
    const id = nextId();
    const stream = await execute(agent, { execution_id: id, user_input: STUBBORN_FAMILY });
    await pids(3);
    const answers = await Promise.all([cancel(id), cancel(id), cancel(id)]);
    expect(answers.map(({ json }) => json.status)).toEqual(Array(3).fill('cancelling'));
    expect((await stream.end()).filter(({ type }) => type === 'error').length).toBe(1);
    expect((await cancel(id)).json).toEqual({ status: 'ended' });
  });

  it('leaves one that has ended as it is', async () => {
    const id = nextId();
    await runToEnd(agent, 'print(1)', { execution_id: id });
    const { status, json } = await cancel(id);
    expect([status, json]).toEqual([202, { status: 'ended' }]);
    const again = await execute(agent, { execution_id: id, user_input: '' });
    expect((await again.end()).at(-1)).toMatchObject({ type: 'done', subtype: 'success' });
  });

  it('is refused for one that there never was', async () => {
    for (const id of ['no-such', '', '%2e%2e', 'x'.repeat(100)]) {
      const { status, json } = await cancel(id);
      expect([status, json.code]).toEqual([404, 'EXECUTION_NOT_FOUND']);
    }
  });

  it('frees the agent for the next as soon as the last event is read', async () => {
    const id = nextId();
    const stream = await execute(agent, { execution_id: id, user_input: 'import time; time.sleep(60)' });
    void cancel(id);
    await stream.end();
    expect(textOf(await runToEnd(agent, 'print("next")'))).toBe('next\n');
  });
});

describe('an execution whose time is over', () => {
  it('is ended with everything it started, and says what it had said', async () => {
    const events = await runToEnd(agent, STUBBORN_FAMILY, { timeout_seconds: 1.5 });
    expect(textOf(events)).toBe('started\n');
    expect(events.at(-1)).toMatchObject({
      type: 'error',
      error_type: 'timeout_error',
      message: 'the execution took longer than 1.5 seconds',
      recoverable: true,
    });
    expect((await pids(3)).filter(isAlive)).toEqual([]);
  });

  it('counts as timed out even when it makes a clean end of it', async () => {
    const script = '#!/bin/bash\ntrap "echo bye; exit 0" TERM; sleep 60 & wait';
    const events = await runToEnd(agent, script, { timeout_seconds: 0.5 });
    expect(textOf(events)).toBe('bye\n');
    expect(events.at(-1)).toMatchObject({ error_type: 'timeout_error' });
  });

  it('is told so of a runner too', async () => {
    const other = await RunningAgent.startForTest({
      AGENT_COMMAND: SCRIPTED_RUNNER,
      AGENT_KILL_AFTER_SECONDS: '0.3',
    });
    const script = `say({ type: 'system' }); raw('{"type":'); setInterval(() => {}, 1000)`;
    const events = await runToEnd(other, script, { timeout_seconds: 0.7 });
    expect(events.at(-1)).toMatchObject({ error_type: 'timeout_error' });
  });
});

describe('an execution', () => {
  it('goes on when nobody reads it any more', async () => {
    const id = nextId();
    const script = '#!/bin/bash\necho $$ >pid-a; until [ -e go ]; do sleep 0.01; done; touch went-on';
    const stream = await execute(agent, { execution_id: id, user_input: script });
    const [pid = 0] = await pids(1);
    stream.leave();
    await expect(stream.end()).rejects.toThrow();
    await agent.call('PUT', '/files/go', { body: '' });
    await expect.poll(() => readdirSync(agent.root)).toContain('went-on');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('leaves background processes alone when it ends by itself', async () => {
    const events = await runToEnd(agent, '#!/bin/bash\nsleep 60 & echo $! >pid-sleep; echo main');
    expect(textOf(events)).toBe('main\n');
    const [sleeper = 0] = await pids(1);
    expect(isAlive(sleeper)).toBe(true);
    process.kill(sleeper, 'SIGKILL');
  });

  it('is named by /health while it runs', async () => {
    const running = async () => (await agent.call('GET', '/health')).json.executions;
    expect(await running()).toEqual([]);
    const id = nextId();
    const stream = await execute(agent, { execution_id: id, user_input: 'import time; time.sleep(60)' });
    expect(await running()).toEqual([id]);
    await cancel(id);
    await stream.end();
    expect(await running()).toEqual([]);
  });

  it('keeps the agent from exiting for idleness, though nobody reads it', async () => {
    const idle = await RunningAgent.startForTest({ AGENT_IDLE_EXIT_SECONDS: '1' });
    const script = '#!/bin/bash\necho said; sleep 2; touch done';
    const stream = await execute(idle, { execution_id: 'idle', user_input: script });
    await stream.until(({ type }) => type === 'text_delta');
    stream.leave();
    await expect.poll(() => readdirSync(idle.root), { timeout: 5_000 }).toContain('done');
    expect(await idle.exited()).toBe(0);
    expect(idle.stderr).toContain('idle');
  });

  it('leaves no open file behind in the agent', async () => {
    const open = () => readdirSync(`/proc/${agent.pid}/fd`).length;
    const use = async () => {
      await runToEnd(agent, '#!/bin/bash\ncat; echo x >&2');
      await runToEnd(agent, 'import time; time.sleep(60)', { timeout_seconds: 0.01 });
      await agent.call('POST', '/execute', { body: { execution_id: nextId(), user_input: '', cwd: 'none' } });
    };
    await use();
    const before = open();
    for (let round = 0; round < 10; round += 1) await use();
    await expect.poll(open).toBeLessThanOrEqual(before);
  });
});

describe('an agent that gets SIGTERM', () => {
  it('kills the execution that runs and exits at once with 0', async () => {
    const dying = await RunningAgent.startForTest();
    const stream = await execute(dying, { execution_id: 'dying', user_input: STUBBORN_FAMILY });
    const family = await pids(3, dying.root);
    dying.child.kill('SIGTERM');
    expect(await dying.exited()).toBe(0);
    await expect(stream.end()).rejects.toThrow();
    await expect.poll(() => family.filter(isAlive)).toEqual([]);
  });
});
