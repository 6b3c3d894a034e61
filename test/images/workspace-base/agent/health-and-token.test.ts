import { createHmac } from 'node:crypto';
import { renameSync, statSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RunningAgent, TOKEN } from './running-agent.ts';

let agent: RunningAgent;
beforeAll(async () => {
  agent = await RunningAgent.start({ AGENT_VERSION: '1.2.3' });
});
afterAll(() => agent.stop());

describe('/health', () => {
  it('answers without a token, and without a proof when no nonce was sent', async () => {
    const { status, json } = await agent.call('GET', '/health', { token: null });
    expect(status).toBe(200);
    expect(json).toEqual({ status: 'ok', protocol: 1, version: '1.2.3', ticket: null, executions: [] });
  });

  it('proves that it knows the token', async () => {
    const { json } = await agent.call('GET', '/health?nonce=n%2F1', { token: null });
    expect(json.proof).toBe(createHmac('sha256', TOKEN).update('n/1').digest('hex'));
  });

  it('refuses a nonce of more than 128 characters', async () => {
    expect((await agent.call('GET', `/health?nonce=${'x'.repeat(128)}`)).status).toBe(200);
    const { status, json } = await agent.call('GET', `/health?nonce=${'x'.repeat(129)}`);
    expect([status, json.code]).toEqual([400, 'INVALID_REQUEST']);
  });
});

describe('the token', () => {
  it.each([
    ['none', null],
    ['another', 'x'.repeat(TOKEN.length)],
    ['a prefix of it', TOKEN.slice(0, -1)],
    ['more than it', `${TOKEN}x`],
    ['an empty one', ''],
  ])('refuses %s, on every route but /health', async (_name, token) => {
    for (const [method, path] of [
      ['POST', '/exec'],
      ['GET', '/files'],
      ['GET', '/nothing'],
    ] as const) {
      const { status, json } = await agent.call(method, path, { token });
      expect([status, json.code]).toEqual([401, 'UNAUTHENTICATED']);
    }
  });
});

describe('routes', () => {
  it.each([
    '/',
    '/nothing',
    '/execute/now',
    '/executions/1',
    '/executions/1/else',
    '/exec/',
    '/health/',
    '/filesx',
    '/Files',
  ])('does not know %s', async (path) => {
    const { status, json } = await agent.call('POST', path, { body: {} });
    expect([status, json.code]).toEqual([404, 'ROUTE_NOT_FOUND']);
  });

  it('tells which methods a route has', async () => {
    const { status, json, headers } = await agent.call('GET', '/exec');
    expect([status, json.code, headers.allow]).toEqual([405, 'METHOD_NOT_ALLOWED', 'POST']);
    expect((await agent.call('POST', '/files/x')).headers.allow).toBe('GET, HEAD, PUT, DELETE');
  });
});

describe('/assign', () => {
  it.each([
    ['no JSON', 'nonsense'],
    ['no object', '[]'],
    ['no ticket', '{}'],
    ['an empty ticket', '{"ticket":""}'],
    ['a ticket that is too long for /health', JSON.stringify({ ticket: 'x'.repeat(2049) })],
    ['an environment that is no object', '{"ticket":"t","env":[]}'],
    ['a variable that is no string', '{"ticket":"t","env":{"A":1}}'],
    ['bytes that are no UTF-8', Buffer.from('{"ticket":"\xff"}', 'latin1')],
  ])('refuses %s', async (_name, body) => {
    const { status, json } = await agent.call('POST', '/assign', { body });
    expect([status, json.code]).toEqual([400, 'INVALID_REQUEST']);
    expect((await agent.call('GET', '/health')).json.ticket).toBeNull();
  });

  it('refuses a body of more than 1 MiB, and serves the connection on', async () => {
    const body = JSON.stringify({ ticket: 't', env: { A: 'x'.repeat(1024 * 1024) } });
    const { status, json } = await agent.call('POST', '/assign', { body });
    expect([status, json.code]).toEqual([413, 'BODY_TOO_LARGE']);
    expect((await agent.call('GET', '/health')).status).toBe(200);
  });

  it('takes one ticket, the same again, and no other; its environment reaches commands', async () => {
    const assign = (ticket: string) =>
      agent.call('POST', '/assign', { body: { ticket, env: { WHO: ticket } } });
    const answers = [await assign('first'), await assign('first'), await assign('second')];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 409]);
    expect(answers[2]?.json.code).toBe('ALREADY_ASSIGNED');
    expect((await agent.call('GET', '/health')).json.ticket).toBe('first');
    expect((await agent.sh('echo $WHO')).stdout).toBe('first\n');
  });
});

describe('the socket', () => {
  it('may be moved away once it is bound', async () => {
    const moved = `${agent.socket}.moved`;
    renameSync(agent.socket, moved);
    agent.socket = moved;
    expect((await agent.call('GET', '/health')).status).toBe(200);
  });

  it('is open to a runtime of another uid', () => {
    expect(statSync(agent.socket).mode & 0o777).toBe(0o666);
  });
});
