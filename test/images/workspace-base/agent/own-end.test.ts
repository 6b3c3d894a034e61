import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideExit } from '../../../../images/workspace-base/agent/exit-rule.ts';
import { parseSettings } from '../../../../images/workspace-base/agent/settings.ts';
import { RunningAgent, TOKEN } from './running-agent.ts';

describe('the rule for exiting', () => {
  const limits = { lifetimeMs: 10_000, idleMs: 1_000 };
  const seen = { startedAt: 0, lastCallAt: 500, callsInFlight: 0 };

  it('exits when there was no call for too long', () => {
    expect(decideExit(seen, limits, 1_499)).toEqual({ lookAgainInMs: 1 });
    expect(decideExit(seen, limits, 1_500)).toEqual({ exit: 'idle' });
  });

  it('takes work in progress for a call', () => {
    expect(decideExit({ ...seen, callsInFlight: 1 }, limits, 5_000)).toEqual({ lookAgainInMs: 1_000 });
  });

  it('exits at the end of its lifetime whatever is in progress', () => {
    expect(decideExit({ ...seen, callsInFlight: 1 }, limits, 9_500)).toEqual({ lookAgainInMs: 500 });
    expect(decideExit({ ...seen, callsInFlight: 1 }, limits, 10_000)).toEqual({ exit: 'lifetime' });
  });

  it('never says to look again later than a limit', () => {
    fc.assert(
      fc.property(fc.nat(20_000), fc.nat(20_000), fc.nat(2), (now, lastCallAt, callsInFlight) => {
        const decision = decideExit({ startedAt: 0, lastCallAt, callsInFlight }, limits, now);
        if ('exit' in decision) return;
        expect(decision.lookAgainInMs).toBeGreaterThan(0);
        expect(now + decision.lookAgainInMs).toBeLessThanOrEqual(limits.lifetimeMs);
      }),
    );
  });
});

describe('an agent', () => {
  it('exits by itself when nobody calls, though its health is asked for', async () => {
    const agent = await RunningAgent.start({ AGENT_IDLE_EXIT_SECONDS: '1' });
    const asking = setInterval(() => agent.call('GET', '/health', { token: null }).catch(() => {}), 50);
    expect(await agent.exited()).toBe(0);
    clearInterval(asking);
    expect(agent.stderr).toContain('idle');
    await agent.stop();
  });

  it('does not exit while a command runs, but some time after', async () => {
    const agent = await RunningAgent.start({ AGENT_IDLE_EXIT_SECONDS: '1' });
    expect(await agent.exec({ cmd: ['sleep', '2'] })).toMatchObject({ exit_code: 0 });
    expect(await agent.exited()).toBe(0);
    await agent.stop();
  });

  it('exits at the end of its lifetime with the grace added, command or not', async () => {
    const agent = await RunningAgent.start({
      AGENT_MAX_LIFETIME_SECONDS: '1',
      AGENT_LIFETIME_GRACE_SECONDS: '1',
    });
    const cut = agent.exec({ cmd: ['sleep', '60'] }).catch(() => 'cut off');
    expect(await agent.exited()).toBe(0);
    expect(await cut).toBe('cut off');
    expect(agent.stderr).toContain('lifetime');
    await agent.stop();
  });
});

describe('settings', () => {
  it('have defaults for all but the token', () => {
    expect(parseSettings({ AGENT_TOKEN: TOKEN })).toEqual({
      token: TOKEN,
      version: '0.0.0',
      workspace: '/workspace',
      listen: { mode: 'uds', socket: '/berth/agent/agent.sock' },
      maxLifetimeSeconds: 28_800,
      lifetimeGraceSeconds: 3_600,
      idleExitSeconds: 7_200,
      killAfterSeconds: 2,
    });
  });

  it.each([
    ['', undefined],
    ['node  /opt/runner.mjs\t--fast ', ['node', '/opt/runner.mjs', '--fast']],
    ['["node", "a b.mjs", ""]', ['node', 'a b.mjs', '']],
  ])('take AGENT_COMMAND=%j for words', (line, command) => {
    expect(parseSettings({ AGENT_TOKEN: TOKEN, AGENT_COMMAND: line }).command).toEqual(command);
  });

  it.each([
    ['AGENT_TOKEN', ''],
    ['AGENT_TOKEN', 'short'],
    ['AGENT_TOKEN', 'with spaces in the middle of it'],
    ['AGENT_LISTEN_MODE', 'tcp'],
    ['AGENT_HTTP_PORT', '70000'],
    ['AGENT_HTTP_PORT', '80.5'],
    ['AGENT_SOCKET', `/${'x'.repeat(107)}`],
    ['AGENT_WORKSPACE', 'relative'],
    ['AGENT_WORKSPACE', '/'],
    ['AGENT_IDLE_EXIT_SECONDS', 'soon'],
    ['AGENT_MAX_LIFETIME_SECONDS', '-1'],
    ['AGENT_COMMAND', ' '],
    ['AGENT_COMMAND', '[]'],
    ['AGENT_COMMAND', '[""]'],
    ['AGENT_COMMAND', '["node", 1]'],
    ['AGENT_COMMAND', '["node"'],
  ])('refuse %s=%s by name', (name, value) => {
    expect(() => parseSettings({ AGENT_TOKEN: TOKEN, [name]: value })).toThrow(name);
  });

  it.each([
    ['a missing token', { AGENT_TOKEN: '' }, 'AGENT_TOKEN'],
    ['a workspace that is not there', { AGENT_WORKSPACE: '/no/where' }, 'AGENT_WORKSPACE'],
    ['a socket that can not be bound', { AGENT_SOCKET: '/no/where/agent.sock' }, 'cannot listen'],
  ])('that are wrong end the agent with 2 and one line: %s', async (_name, env, mention) => {
    const agent = RunningAgent.spawn(env);
    expect(await agent.exited()).toBe(2);
    expect(agent.stderr.trim().split('\n')).toEqual([expect.stringContaining(mention)]);
    await agent.stop();
  });

  it('let it listen on a port', async () => {
    const agent = RunningAgent.spawn({ AGENT_LISTEN_MODE: 'http', AGENT_HTTP_PORT: '39417' });
    const health = () =>
      fetch('http://127.0.0.1:39417/health').then(
        (res) => res.status,
        () => 0,
      );
    await expect.poll(health, { timeout: 10_000 }).toBe(200);
    await agent.stop();
  });
});
