import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isAlive, RunningAgent, TOKEN } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start({ AGENT_KILL_AFTER_SECONDS: '0.5' });
});
afterAll(() => agent.stop());
beforeEach(() => {
  for (const name of readdirSync(agent.root)) rmSync(join(agent.root, name));
});

/** Soon enough to show that nothing was waited for that takes a minute; a busy machine takes its time. */
const SOON_MS = 5_000;

/** The pids that a script has written to files called `pid-*`, once there are `count` of them. */
async function pids(count: number): Promise<number[]> {
  const names = () => readdirSync(agent.root).filter((name) => name.startsWith('pid-'));
  const read = () => names().map((name) => Number(readFileSync(join(agent.root, name), 'utf8')));
  await expect.poll(() => read().filter((pid) => pid > 0).length, { timeout: 5_000 }).toBe(count);
  return read();
}

const STUBBORN_FAMILY = `
  trap '' TERM
  echo $$ >pid-main
  sh -c 'trap "" TERM; echo $$ >pid-child; while :; do sleep 1; done' &
  (trap '' TERM; sh -c 'echo $PPID >pid-grandchild; exec sleep 60') &
  while :; do sleep 1; done`;

describe('a command whose time is over', () => {
  it('is ended with everything it started, by SIGTERM if that does', async () => {
    const result = await agent.sh('echo $$ >pid-a; sh -c "echo \\$\\$ >pid-b; sleep 60" & echo said; wait', {
      timeout: 0.4,
    });
    expect(result).toMatchObject({ exit_code: null, signal: 'SIGTERM', timed_out: true, stdout: 'said\n' });
    expect((await pids(2)).filter(isAlive)).toEqual([]);
  });

  it('is killed when it ignores SIGTERM, and so are children that do', async () => {
    const result = await agent.sh(STUBBORN_FAMILY, { timeout: 0.5 });
    expect(result).toMatchObject({ exit_code: null, signal: 'SIGKILL', timed_out: true });
    expect(result.duration_ms).toBeGreaterThanOrEqual(1000);
    expect(result.duration_ms).toBeLessThan(500 + 500 + SOON_MS);
    expect((await pids(3)).filter(isAlive)).toEqual([]);
  });

  it('takes along children that left its process group, as those of `timeout` and of job control do', async () => {
    const script = `timeout 60 sh -c 'echo $$ >pid-timeout; sleep 60' &
      bash -c 'set -m; sh -c "echo \\$\\$ >pid-job; sleep 60" & wait' & wait`;
    await agent.sh(script, { timeout: 0.6 });
    expect((await pids(2)).filter(isAlive)).toEqual([]);
  });

  it('counts as timed out even when it makes a clean end of it', async () => {
    const result = await agent.sh('trap "echo bye; exit 0" TERM; sleep 60 & wait', { timeout: 0.3 });
    expect(result).toMatchObject({ exit_code: null, timed_out: true, stdout: 'bye\n' });
  });

  it('may have a fraction of a second, and is not waited for longer', async () => {
    const result = await agent.exec({ cmd: ['sleep', '60'], timeout: 0.05 });
    expect(result.duration_ms).toBeLessThan(SOON_MS);
  });
});

describe('a client that leaves', () => {
  it.each(['*/*', 'text/event-stream'])(
    'ends its command and everything it started (Accept: %s)',
    async (accept) => {
      const req = request({
        socketPath: agent.socket,
        method: 'POST',
        path: '/exec',
        headers: { authorization: `Bearer ${TOKEN}`, accept },
      });
      req.on('error', () => {});
      req.end(JSON.stringify({ cmd: ['sh', '-c', STUBBORN_FAMILY] }));
      const family = await pids(3);
      expect(family.filter(isAlive).length).toBe(3);
      req.destroy();
      await expect.poll(() => family.filter(isAlive), { timeout: 5_000 }).toEqual([]);
      expect((await agent.sh('echo on')).stdout).toBe('on\n');
    },
  );
});

describe('a command that ends', () => {
  it('is answered for while its background children live on, with an output they can write to', async () => {
    const script = `sh -c 'echo $$ >pid-background; echo before; while :; do echo noise; echo x >>beat; sleep 0.02; done' &
      while [ ! -e beat ]; do sleep 0.01; done; echo main`;
    const result = await agent.sh(script);
    expect(result).toMatchObject({ exit_code: 0, timed_out: false });
    expect(result.stdout).toContain('main\n');
    expect(result.duration_ms).toBeLessThan(SOON_MS);
    const beats = () => readFileSync(join(agent.root, 'beat'), 'utf8').length;
    const [background = 0] = await pids(1);
    const then = beats();
    await expect.poll(beats, { timeout: 5_000 }).toBeGreaterThan(then + 20);
    expect(isAlive(background)).toBe(true);
    process.kill(background, 'SIGKILL');
  });

  it('is answered for soon although a silent background child holds its pipes', async () => {
    const result = await agent.sh('sleep 60 & echo $! >pid-sleep; echo main');
    expect(result).toMatchObject({ exit_code: 0, stdout: 'main\n' });
    expect(result.duration_ms).toBeLessThan(SOON_MS);
    const [sleeper = 0] = await pids(1);
    expect(isAlive(sleeper)).toBe(true);
    process.kill(sleeper, 'SIGKILL');
  });

  it('leaves all it wrote, even right before its end with pipes full', async () => {
    const result = await agent.sh('sleep 60 & echo $! >pid-sleep; head -c 900000 /dev/zero | tr "\\0" x');
    expect(result.stdout.length).toBe(900_000);
    process.kill((await pids(1))[0] ?? 0, 'SIGKILL');
  });

  it('leaves no zombie among the children of the agent', async () => {
    await Promise.all(Array.from({ length: 10 }, () => agent.exec({ cmd: ['true'] })));
    await agent.exec({ cmd: ['sleep', '60'], timeout: 0.05 });
    await agent.call('POST', '/exec', { body: { cmd: ['no-such-program'] } });
    await expect.poll(() => agent.children()).toEqual([]);
  });

  it('leaves no open file behind in the agent', async () => {
    const open = () => readdirSync(`/proc/${agent.pid}/fd`).length;
    const use = async () => {
      await agent.sh('cat; echo x >&2', { stdin: 'x' });
      await agent.call('POST', '/exec', { body: { cmd: ['no-such-program'], stdin: 'x' } });
      await agent.call('POST', '/exec', { body: { cmd: ['echo', 'x'.repeat(500_000)], stdin: 'x' } });
      await agent.exec({ cmd: ['sleep', '60'], timeout: 0.01 });
    };
    await use();
    const before = open();
    for (let round = 0; round < 10; round += 1) await use();
    await expect.poll(open).toBeLessThanOrEqual(before);
  });
});

describe('an agent that gets SIGTERM', () => {
  it('kills what is running and exits at once with 0', async () => {
    const answer = agent.sh(STUBBORN_FAMILY).catch(() => 'cut off');
    const family = await pids(3);
    const then = performance.now();
    agent.child.kill('SIGTERM');
    expect(await agent.exited()).toBe(0);
    expect(performance.now() - then).toBeLessThan(SOON_MS);
    expect(await answer).toBe('cut off');
    await expect.poll(() => family.filter(isAlive)).toEqual([]);
  });
});
