import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ProxyAdmin } from '../../../../runtime/egress/admin/admin-client.ts';
import { egressState, signingRule } from '../routes/egress-state.ts';
import { expectedSignature, parseAuthorization } from '../signing/expected-signature.ts';
import { type RunningProgram, runToEnd, startProgram } from './running-program.ts';
import { ask, startUpstream } from './talk.ts';

const ADMIN_KEY = 'canary-of-the-admin-key';

describe('the sidecar', () => {
  let upstream: { server: Server; port: number };
  let sidecar: RunningProgram;
  let admin: ProxyAdmin;

  beforeAll(async () => {
    upstream = await startUpstream();
    sidecar = await startProgram('sidecar-main.ts', { PROXY_ADMIN_KEY: ADMIN_KEY, CONTAINER_ID: 'ws-1' });
    admin = new ProxyAdmin(`http://127.0.0.1:${sidecar.adminPort}`, ADMIN_KEY);
  });
  afterAll(async () => {
    await sidecar.stop();
    upstream.server.closeAllConnections();
    upstream.server.close();
  });

  it('lets nothing out before it is told what', async () => {
    const { status } = await ask(sidecar.proxyPort, 'GET', `http://127.0.0.1:${upstream.port}/`);
    expect(status).toBe(403);
  });

  it('lets out what it is told, adds what is secret, and counts', async () => {
    const here = `internal:127.0.0.1:${upstream.port}`;
    const base = `http://127.0.0.1:${upstream.port}`;
    await admin.putState(
      egressState({
        allowed_domains: [here],
        mcp_domains: [here],
        mcp_servers: { tools: { real_base_url: `${base}/mcp`, headers: { 'X-Key': 'canary-mcp' } } },
        anthropic: { base_url: base, api_key: 'canary-anthropic' },
      }),
      1,
    );
    const plain = await ask(sidecar.proxyPort, 'GET', `${base}/plain?x=1`);
    expect(JSON.parse(plain.body)).toMatchObject({ method: 'GET', url: '/plain?x=1' });
    const headers = { 'x-key': 'mine', 'content-type': 'text/plain' };
    const mcp = await ask(sidecar.proxyPort, 'POST', '/mcp/tools/a?b', { headers, body: 'hello' });
    expect(JSON.parse(mcp.body)).toMatchObject({
      url: '/mcp/a?b',
      headers: { 'x-key': 'canary-mcp', host: `127.0.0.1:${upstream.port}` },
      body: 'hello',
    });
    const model = await ask(sidecar.proxyPort, 'POST', '/anthropic/v1/messages', { body: '{}' });
    expect(JSON.parse(model.body)).toMatchObject({
      url: '/v1/messages',
      headers: { 'x-api-key': 'canary-anthropic' },
    });
    expect((await ask(sidecar.proxyPort, 'GET', '/mcp/tools/..%2f')).status).toBe(403);
    expect((await admin.stats(1)).passed.forwarded).toBe(3);
  });

  it('signs calls of a model as they arrive at the model', async () => {
    const rule = signingRule({ base_url: `http://127.0.0.1:${upstream.port}` });
    const allowed_domains = [`internal:127.0.0.1:${upstream.port}`];
    await admin.putState(egressState({ allowed_domains, signing: rule }), 2);
    const headers = {
      'content-type': 'application/json',
      authorization: 'mine',
      'x-amz-date': '20000101T000000Z',
    };
    const path = '/model/us.anthropic.claude-v1:0/converse';
    const { status, body } = await ask(sidecar.proxyPort, 'POST', path, { headers, body: '{"a":1}' });
    expect(status).toBe(200);
    const seen = JSON.parse(body);
    expect(seen).toMatchObject({ url: '/model/us.anthropic.claude-v1%3A0/converse', body: '{"a":1}' });
    expect(seen.headers['x-amz-content-sha256']).toBe(createHash('sha256').update('{"a":1}').digest('hex'));
    const { scope, signed, signature } = parseAuthorization(seen.headers.authorization);
    const received = { ...seen, path: seen.url };
    expect(signature).toBe(expectedSignature(received, signed, scope, rule.credentials.secret_access_key));

    const credentials = { ...rule.credentials, expires_at: '2020-01-01T00:00:00Z' };
    await admin.putState(egressState({ allowed_domains, signing: { ...rule, credentials } }), 3);
    expect((await ask(sidecar.proxyPort, 'POST', path, { headers, body: '{}' })).status).toBe(503);
  });

  it('logs a refusal as a line of JSON, without secrets', async () => {
    await ask(sidecar.proxyPort, 'GET', 'http://refused.example/?canary-query');
    const refusals = (): unknown[] =>
      sidecar.lines.map((line) => JSON.parse(line)).filter(({ host }) => host === 'refused.example');
    await vi.waitFor(() => expect(refusals()).toHaveLength(1));
    expect(refusals()).toMatchObject([{ level: 'warn', container_id: 'ws-1', reason: 'not_allowed' }]);
    expect(sidecar.lines.join('\n')).not.toContain('canary');
  });

  it('listens to the sandbox on 127.0.0.1 only, and to the runtime on all addresses', async () => {
    const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
    const other = all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
    // A machine with loopback alone has that whole network.
    const address = other ?? '127.0.0.2';
    const dial = async (port: number): Promise<'open' | 'closed'> => {
      const socket = connect(port, address);
      try {
        await once(socket, 'connect');
        return 'open';
      } catch {
        return 'closed';
      } finally {
        socket.destroy();
      }
    };
    expect(await dial(sidecar.proxyPort)).toBe('closed');
    expect(await dial(sidecar.adminPort)).toBe('open');
  });

  it('ends within a second of SIGTERM', async () => {
    const began = performance.now();
    sidecar.child.kill('SIGTERM');
    const [code] = await once(sidecar.child, 'exit');
    expect(code).toBe(0);
    expect(performance.now() - began).toBeLessThan(1000);
  });
});

describe('starting the sidecar', () => {
  it('tells all problems of its environment in one line, without secrets', async () => {
    const env = {
      PROXY_LISTEN_PORT: 'x',
      ADMIN_PORT: '70000',
      PROXY_ADMIN_KEY: 'canary key',
      EGRESS_CREDENTIAL: 'canary',
    };
    const { code, stdout, stderr } = await runToEnd('sidecar-main.ts', env);
    expect(code).toBe(2);
    expect(stdout).toBe('');
    expect(stderr.trim().split('\n')).toHaveLength(1);
    for (const name of [...Object.keys(env), 'EGRESS_PROXY_URL', 'CONTAINER_ID'])
      expect(stderr).toContain(name);
    expect(stderr).not.toContain('canary');
  });

  it('tells of a port that is taken', async () => {
    const { server, port } = await startUpstream();
    const env = { PROXY_LISTEN_PORT: `${port}`, ADMIN_PORT: '0', PROXY_ADMIN_KEY: ADMIN_KEY };
    const { code, stderr } = await runToEnd('sidecar-main.ts', env);
    server.close();
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('EADDRINUSE') });
  });

  it.each(['sidecar-main.ts', 'service-main.ts'])(
    '%s has help, and takes no other argument',
    async (file) => {
      expect(await runToEnd(file, {}, '--help')).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('PROXY_ADMIN_KEY'),
      });
      expect(await runToEnd(file, {}, '--port')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--port'),
      });
    },
  );
});
