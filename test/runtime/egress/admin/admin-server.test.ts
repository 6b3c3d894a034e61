import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { gateCommands } from '../../../../runtime/egress/admin/gate-commands.ts';
import { AdminSeal } from '../../../../runtime/egress/admin/sealed-message.ts';
import { Gate } from '../../../../runtime/egress/gate.ts';
import { egressState } from '../routes/egress-state.ts';
import { ADMIN_KEY, type RunningAdmin, runAdmin } from './running-admin.ts';

const seal = new AdminSeal(ADMIN_KEY);
const PUT_STATE = { method: 'PUT', path: '/admin/state' };

describe('the admin side of a proxy', () => {
  let gate: Gate;
  let admin: RunningAdmin;

  beforeEach(async () => {
    gate = new Gate('ws-1', () => {});
    admin = await runAdmin(gateCommands(gate));
  });
  afterEach(() => {
    admin.server.closeAllConnections();
    admin.server.close();
    gate.close();
  });

  const call = async (method: string, path: string, counter: number, body: unknown) => {
    const sealed = seal.sealRequest({ counter, method, path, body });
    const answer = await admin.send(method, path, { body: sealed });
    return { status: answer.status, opened: seal.openAnswer(answer.body) };
  };

  it('says that it is well to everybody', async () => {
    expect((await admin.send('GET', '/health')).status).toBe(200);
  });

  it('replaces the whole state', async () => {
    const state = egressState({ allowed_domains: ['pypi.org'] });
    expect((await call('PUT', '/admin/state', 1, state)).opened).toMatchObject({ status: 200, counter: 1 });
    expect(gate.state).toEqual(state);
  });

  it('replaces the MCP servers and leaves the rest', async () => {
    await call('PUT', '/admin/state', 1, egressState({ allowed_domains: ['pypi.org'] }));
    const servers = { tools: { real_base_url: 'https://a.example/', headers: { 'X-Key': 'canary' } } };
    const { opened } = await call('POST', '/admin/update-rules', 2, servers);
    expect(opened).toMatchObject({ status: 200, body: { updated: 1 } });
    expect(gate.state).toEqual(egressState({ allowed_domains: ['pypi.org'], mcp_servers: servers }));
  });

  it.each([
    ['PUT', '/admin/state', { allowed_domains: [] }, 'the state lacks'],
    ['PUT', '/admin/state', egressState({ allowed_domains: ['a b'] }), 'allowed_domains'],
    ['PUT', '/admin/state', egressState({ allowed_domains: ['not/a/host'] }), 'not/a/host'],
    [
      'POST',
      '/admin/update-rules',
      { a: { real_base_url: 'x', headers: {} } },
      'mcp_servers.a.real_base_url',
    ],
  ])('refuses bad rules (%s %s %j) and keeps the old ones', async (method, path, body, message) => {
    const state = egressState({ allowed_domains: ['pypi.org'] });
    await call('PUT', '/admin/state', 1, state);
    const { status, opened } = await call(method, path, 2, body);
    expect(status).toBe(400);
    expect(opened?.body).toEqual({ message: expect.stringContaining(message) });
    expect(gate.state).toEqual(state);
  });

  it('takes no message twice and none that is older, and tells the sender of the last', async () => {
    const first = seal.sealRequest({
      ...PUT_STATE,
      counter: 5,
      body: egressState({ allowed_domains: ['a.example'] }),
    });
    await admin.send('PUT', '/admin/state', { body: first });
    await call('PUT', '/admin/state', 6, egressState());
    const replayed = await admin.send('PUT', '/admin/state', { body: first });
    expect(replayed.status).toBe(409);
    expect(seal.openAnswer(replayed.body)).toMatchObject({ ...PUT_STATE, counter: 5, body: { last: 6 } });
    expect((await call('POST', '/admin/update-rules', 6, {})).status).toBe(409);
    expect(gate.state).toEqual(egressState());
  });

  it('takes a sealed message only where it was meant to go', async () => {
    const body = seal.sealRequest({ ...PUT_STATE, counter: 1, body: {} });
    expect((await admin.send('POST', '/admin/update-rules', { body })).status).toBe(401);
    expect((await admin.send('POST', '/admin/state', { body })).status).toBe(401);
    expect((await admin.send('PUT', '/admin/state?x', { body })).status).toBe(401);
  });

  it('tells nothing to who has not the key', async () => {
    const forged = new AdminSeal('b'.repeat(64)).sealRequest({
      ...PUT_STATE,
      counter: 1,
      body: egressState(),
    });
    const open = Buffer.from(JSON.stringify(egressState()));
    for (const body of [
      forged,
      open,
      Buffer.alloc(0),
      seal.sealAnswer({ ...PUT_STATE, counter: 1, body: egressState(), status: 200 }),
    ]) {
      expect(await admin.send('PUT', '/admin/state', { body })).toEqual({
        status: 401,
        body: Buffer.alloc(0),
      });
    }
    expect((await admin.send('GET', '/admin/stats')).status).toBe(401);
    expect((await admin.send('GET', '/admin/unknown')).status).toBe(401);
    expect(gate.state).toBeUndefined();
  });

  it('gives its counters, sealed, for a proof that is used once', async () => {
    const headers = { 'x-berth-proof': seal.prove('GET', '/admin/stats', 3) };
    const answer = await admin.send('GET', '/admin/stats', { headers });
    expect(seal.openAnswer(answer.body)).toMatchObject({ status: 200, counter: 3, body: gate.stats() });
    expect((await admin.send('GET', '/admin/stats', { headers })).status).toBe(409);
    expect((await call('PUT', '/admin/state', 1, egressState())).status).toBe(200);
  });

  it('knows no other call, and says so only sealed', async () => {
    expect(await call('DELETE', '/admin/state', 1, {})).toMatchObject({
      status: 404,
      opened: { status: 404 },
    });
  });

  it('reads no body above 1 MiB, announced or not', async () => {
    const body = Buffer.alloc(1024 * 1024 + 1);
    expect((await admin.send('PUT', '/admin/state', { body })).status).toBe(413);
    const sent = admin.send('PUT', '/admin/state', { body, headers: { 'transfer-encoding': 'chunked' } });
    await expect(sent).rejects.toThrow();
  });

  it('has few places for this machine, and frees them', async () => {
    const sockets: Socket[] = [];
    const dial = async (localAddress: string): Promise<boolean> => {
      const socket = connect({ host: '127.0.0.1', port: admin.port, localAddress });
      socket.on('error', () => {});
      sockets.push(socket);
      await once(socket, 'connect');
      socket.write('GET /health HTTP/1.1\r\nHost: a\r\n\r\n');
      const [chunk] = await Promise.race([once(socket, 'data'), once(socket, 'close')]);
      return Buffer.isBuffer(chunk);
    };
    for (const address of ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4'])
      expect(await dial(address)).toBe(true);
    expect(await dial('127.0.0.5')).toBe(false);
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => expect((await admin.send('GET', '/health')).status).toBe(200));
  });

  it('cuts a client that does not come to its point', async () => {
    const { server, port } = await runAdmin(gateCommands(gate), 0, 300);
    for (const start of ['', 'PUT /admin/state HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nslow']) {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => {});
      socket.write(start);
      await once(socket.resume(), 'close');
    }
    server.close();
    expect(gate.state).toBeUndefined();
  });
});
