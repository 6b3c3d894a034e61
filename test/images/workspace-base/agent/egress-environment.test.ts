import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { freePort } from '../../../support/services/free-port.ts';
import { runToEnd, textOf } from './execution-stream.ts';
import { RunningAgent } from './running-agent.ts';

const NAMES = /^(https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY|NODE_USE_ENV_PROXY|ANTHROPIC_\w+|AGENT_\w+)=/;

async function variables(agent: RunningAgent, env: Record<string, string> = {}): Promise<string[]> {
  const { stdout } = await agent.exec({ cmd: ['env'], env });
  return stdout.split('\n').filter((line) => NAMES.test(line));
}

function expected(port: number): string[] {
  const proxy = `http://127.0.0.1:${port}`;
  return [
    `HTTP_PROXY=${proxy}`,
    `HTTPS_PROXY=${proxy}`,
    'NO_PROXY=localhost,127.0.0.1',
    `http_proxy=${proxy}`,
    `https_proxy=${proxy}`,
    'no_proxy=localhost,127.0.0.1',
    'NODE_USE_ENV_PROXY=1',
    `ANTHROPIC_BASE_URL=${proxy}/anthropic`,
    `ANTHROPIC_BEDROCK_BASE_URL=${proxy}`,
  ];
}

it('commands are told of the proxy where it has a socket', async () => {
  const port = await freePort();
  const agent = await RunningAgent.startForTest({
    AGENT_PROXY_SOCKET: '/nonexistent/proxy.sock',
    AGENT_PROXY_PORT: String(port),
  });
  expect(await variables(agent)).toEqual(expected(port));
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
});

it('commands are told of a proxy that is beside the sandbox, whose port is left to it', async () => {
  const beside = createServer((socket) => socket.end('beside'));
  await once(beside.listen(0, '127.0.0.1'), 'listening');
  const { port } = beside.address() as { port: number };
  const agent = await RunningAgent.startForTest({ AGENT_PROXY_PORT: String(port) });
  expect(await variables(agent)).toEqual(expected(port));
  beside.close();
});

it('commands are told of none where there is none', async () => {
  expect(await variables(await RunningAgent.startForTest())).toEqual([]);
});

it("an assignment's environment wins over the proxy's, and a request's over both", async () => {
  const agent = await RunningAgent.startForTest({
    AGENT_PROXY_SOCKET: '/nonexistent/proxy.sock',
    AGENT_PROXY_PORT: '0',
    HTTPS_PROXY: 'http://from-the-image.test',
  });
  const env = { ANTHROPIC_BASE_URL: 'http://assigned.test', NO_PROXY: 'assigned.test' };
  await agent.call('POST', '/assign', { body: { ticket: 't', env } });
  const found = await variables(agent, { NO_PROXY: 'asked.test', NODE_USE_ENV_PROXY: '' });
  expect(found).toContain('ANTHROPIC_BASE_URL=http://assigned.test');
  expect(found).toContain('NO_PROXY=asked.test');
  expect(found).toContain('NODE_USE_ENV_PROXY=');
  expect(found.find((line) => line.startsWith('HTTPS_PROXY='))).toMatch(
    /^HTTPS_PROXY=http:\/\/127\.0\.0\.1:\d+$/,
  );
});

it('an execution sees the same as a command', async () => {
  const agent = await RunningAgent.startForTest({
    AGENT_PROXY_SOCKET: '/nonexistent/proxy.sock',
    AGENT_PROXY_PORT: '0',
  });
  const events = await runToEnd(agent, 'import os; print(os.environ["HTTPS_PROXY"])');
  expect(textOf(events)).toBe((await agent.sh('echo $HTTPS_PROXY')).stdout);
});

it('an agent whose port is taken says so and does not start', async () => {
  const taken = createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const { port } = taken.address() as { port: number };
  const agent = RunningAgent.spawn({
    AGENT_PROXY_SOCKET: '/nonexistent/proxy.sock',
    AGENT_PROXY_PORT: String(port),
  });
  expect(await agent.exited()).toBe(2);
  expect(agent.stderr).toMatch(new RegExp(`^agent: cannot listen: .*EADDRINUSE.*127.0.0.1:${port}`));
  await agent.stop();
  taken.close();
});

it.each([
  [{ AGENT_PROXY_PORT: '0' }, 'AGENT_PROXY_PORT must not be 0 without AGENT_PROXY_SOCKET'],
  [{ AGENT_PROXY_PORT: '8080.5' }, 'AGENT_PROXY_PORT must be a whole number'],
  [{ AGENT_PROXY_PORT: '65536' }, 'AGENT_PROXY_PORT must be a number from 0 to 65535'],
  [{ AGENT_PROXY_SOCKET: `/${'x'.repeat(107)}` }, 'AGENT_PROXY_SOCKET must have at most 107 bytes'],
])('an agent refuses %o', async (env, message) => {
  const agent = RunningAgent.spawn(env);
  expect(await agent.exited()).toBe(2);
  expect(agent.stderr).toContain(message);
  await agent.stop();
});

it('a runner is told where the proxy really has its MCP servers', async () => {
  const port = await freePort();
  const runner = `let text = ''; process.stdin.on('data', (d) => (text += d)).on('end', () => {
    console.log(JSON.stringify({ type: 'system', told: JSON.parse(text).mcp_server_configs }));
    console.log(JSON.stringify({ type: 'done', subtype: 'success' })); });`;
  const agent = await RunningAgent.startForTest({
    AGENT_COMMAND: JSON.stringify(['node', '-e', runner]),
    AGENT_PROXY_SOCKET: '/nonexistent/proxy.sock',
    AGENT_PROXY_PORT: String(port),
  });
  const events = await runToEnd(agent, '', {
    mcp_server_configs: {
      ours: { url: 'http://127.0.0.1:8080/mcp/ours' },
      other: { url: 'http://127.0.0.1:80801/x' },
    },
  });
  expect(events[0]).toMatchObject({
    told: {
      ours: { url: `http://127.0.0.1:${port}/mcp/ours` },
      other: { url: 'http://127.0.0.1:80801/x' },
    },
  });
});
