import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ProxyAdmin } from '../../../../runtime/egress/admin/admin-client.ts';
import { egressState } from '../routes/egress-state.ts';
import { type RunningProgram, startProgram } from './running-program.ts';
import { ask, startUpstream, tunnel } from './talk.ts';

const ADMIN_KEY = 'key-of-the-shared-proxy';
const CREDENTIAL = 'canary-credential-of-ws-1';

describe('strict mode', () => {
  let upstream: { server: Server; port: number };
  let echo: TcpServer;
  let echoPort: number;
  let service: RunningProgram;
  let sidecar: RunningProgram;
  let admin: ProxyAdmin;

  beforeAll(async () => {
    upstream = await startUpstream();
    echo = createTcpServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket)).listen(0, '127.0.0.1');
    await once(echo, 'listening');
    echoPort = (echo.address() as AddressInfo).port; // it listens on TCP
    service = await startProgram('service-main.ts', { PROXY_ADMIN_KEY: ADMIN_KEY });
    sidecar = await startProgram('sidecar-main.ts', {
      PROXY_ADMIN_KEY: 'key-of-the-sidecar-itself',
      CONTAINER_ID: 'ws-1',
      EGRESS_PROXY_URL: `http://127.0.0.1:${service.proxyPort}`,
      EGRESS_CREDENTIAL: CREDENTIAL,
    });
    admin = new ProxyAdmin(`http://127.0.0.1:${service.adminPort}`, ADMIN_KEY);
  });
  afterAll(async () => {
    await sidecar.stop();
    await service.stop();
    echo.close();
    upstream.server.closeAllConnections();
    upstream.server.close();
  });

  const url = (path: string): string => `http://127.0.0.1:${upstream.port}${path}`;
  const allow = async (): Promise<void> => {
    const allowed_domains = [`internal:127.0.0.1:${upstream.port}`, `internal:127.0.0.1:${echoPort}`];
    const mcp_servers = { tools: { real_base_url: url('/mcp'), headers: { 'X-Key': 'canary-mcp' } } };
    const state = egressState({ allowed_domains, mcp_domains: allowed_domains, mcp_servers });
    const credential_sha256 = createHash('sha256').update(CREDENTIAL).digest('hex');
    await admin.putContainer('ws-1', { credential_sha256, state }, Date.now() * 1000);
  };

  it('says so when the shared proxy does not know the sandbox', async () => {
    expect(await ask(sidecar.proxyPort, 'GET', url('/'))).toMatchObject({
      status: 502,
      body: expect.stringContaining('does not know this sandbox'),
    });
    expect((await tunnel(sidecar.proxyPort, `127.0.0.1:${echoPort}`)).status).toBe(502);
  });

  it("passes requests on with the sandbox's credential, which the target never sees", async () => {
    await allow();
    const headers = { 'proxy-authorization': 'Basic bWluZTptaW5l', 'x-mine': '1' };
    const { status, body } = await ask(sidecar.proxyPort, 'POST', url('/a?b'), { headers, body: 'hello' });
    expect(status).toBe(200);
    const seen = JSON.parse(body);
    expect(seen).toMatchObject({ method: 'POST', url: '/a?b', headers: { 'x-mine': '1' }, body: 'hello' });
    expect(Object.keys(seen.headers)).not.toContain('proxy-authorization');
    const mcp = await ask(sidecar.proxyPort, 'GET', '/mcp/tools/x');
    expect(JSON.parse(mcp.body)).toMatchObject({ url: '/mcp/x', headers: { 'x-key': 'canary-mcp' } });
  });

  it('passes bodies on in chunks', async () => {
    await allow();
    const headers = { 'transfer-encoding': 'chunked' };
    const { body } = await ask(sidecar.proxyPort, 'PUT', url('/'), { headers, body: 'x'.repeat(200_000) });
    expect(JSON.parse(body).body).toHaveLength(200_000);
  });

  it('passes refusals back', async () => {
    await allow();
    const refused = await ask(sidecar.proxyPort, 'GET', 'http://refused.example/');
    expect(refused).toMatchObject({ status: 403, body: expect.stringContaining('Domain not in whitelist') });
    expect((await tunnel(sidecar.proxyPort, 'refused.example:443')).status).toBe(403);
    const { 'ws-1': look } = Object.fromEntries(await admin.lookAtAll(Date.now() * 1000));
    expect(look?.stats.refused.not_allowed).toBe(2);
  });

  it('passes tunnels on, byte for byte and to the end', async () => {
    await allow();
    const { status, socket } = await tunnel(sidecar.proxyPort, `127.0.0.1:${echoPort}`, {
      'Proxy-Authorization': 'Basic bWluZTptaW5l',
    });
    expect(status).toBe(200);
    const sent = 'to and fro '.repeat(50_000);
    socket.end(sent);
    expect(await text(socket)).toBe(sent);
  });

  it('wants the credential at the shared proxy itself', async () => {
    await allow();
    const basic = (pair: string) => ({
      'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}`,
    });
    for (const headers of [{}, basic('ws-1:wrong'), basic(`ws-2:${CREDENTIAL}`)]) {
      expect((await ask(service.proxyPort, 'GET', url('/'), { headers })).status).toBe(407);
    }
    const right = await ask(service.proxyPort, 'GET', url('/'), { headers: basic(`ws-1:${CREDENTIAL}`) });
    expect(right.status).toBe(200);
  });

  it('lets go of a sandbox that is removed, with its open tunnels', async () => {
    await allow();
    const { socket } = await tunnel(sidecar.proxyPort, `127.0.0.1:${echoPort}`);
    await admin.removeContainer('ws-1', Date.now() * 1000);
    socket.on('error', () => {});
    if (!socket.closed) await once(socket.resume(), 'close');
    expect((await ask(sidecar.proxyPort, 'GET', url('/'))).status).toBe(502);
  });

  it('has no rules of its own to change', async () => {
    const own = new ProxyAdmin(`http://127.0.0.1:${sidecar.adminPort}`, 'key-of-the-sidecar-itself');
    await expect(own.putState(egressState(), Date.now() * 1000)).rejects.toMatchObject({
      reason: 'rejected',
    });
  });

  it('cuts an answer that breaks off, and says when the shared proxy is gone', async () => {
    await allow();
    const broken = createServer((_, response) => {
      response.writeHead(200, { 'content-length': '100' }).write('only this');
      setImmediate(() => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(broken, 'listening');
    const other = (broken.address() as AddressInfo).port; // it listens on TCP
    const state = egressState({ allowed_domains: [`internal:127.0.0.1:${other}`] });
    const credential_sha256 = createHash('sha256').update(CREDENTIAL).digest('hex');
    await admin.putContainer('ws-1', { credential_sha256, state }, Date.now() * 1000);
    await expect(ask(sidecar.proxyPort, 'GET', `http://127.0.0.1:${other}/`)).rejects.toThrow();
    broken.close();

    await service.stop();
    await vi.waitFor(async () =>
      expect(await ask(sidecar.proxyPort, 'GET', url('/'))).toMatchObject({
        status: 502,
        body: expect.stringContaining('does not answer'),
      }),
    );
    expect((await tunnel(sidecar.proxyPort, '127.0.0.1:1')).status).toBe(502);
    expect(sidecar.lines.join('\n') + service.lines.join('\n')).not.toContain('canary');
  });
});
