import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { ProxyAdmin } from '../../../../runtime/egress/admin/admin-client.ts';
import { containerCommands } from '../../../../runtime/egress/admin/container-commands.ts';
import { gateCommands } from '../../../../runtime/egress/admin/gate-commands.ts';
import { Gate } from '../../../../runtime/egress/gate.ts';
import { ServedContainers } from '../../../../runtime/egress/served-containers.ts';
import { egressState } from '../routes/egress-state.ts';
import { ADMIN_KEY, runAdmin } from './running-admin.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function adminOf(gate: Gate, floor = 0) {
  const admin = await runAdmin(gateCommands(gate), floor);
  servers.push(admin.server);
  return admin;
}

async function listening(server: Server): Promise<string> {
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // it listens on TCP
}

describe("the runtime's client of a proxy's admin side", () => {
  it('puts states and servers, and reads counters', async () => {
    const gate = new Gate('ws-1', () => {});
    const proxy = new ProxyAdmin((await adminOf(gate)).url, ADMIN_KEY);
    await proxy.putState(egressState({ allowed_domains: ['pypi.org'] }), 1);
    await proxy.updateRules({ a: { real_base_url: 'https://a.example', headers: {} } }, 2);
    expect(gate.state).toMatchObject({ allowed_domains: ['pypi.org'], mcp_servers: { a: {} } });
    expect(await proxy.stats(1)).toEqual(gate.stats());
  });

  it('goes above a counter that the proxy has had already', async () => {
    const gate = new Gate('ws-1', () => {});
    const proxy = new ProxyAdmin((await adminOf(gate, 1_000)).url, ADMIN_KEY);
    await proxy.putState(egressState({ allowed_domains: ['a.example'] }), 1);
    await proxy.putState(egressState({ allowed_domains: ['b.example'] }), 1);
    expect(gate.state?.allowed_domains).toEqual(['b.example']);
  });

  it('tells what is wrong with rules', async () => {
    const proxy = new ProxyAdmin((await adminOf(new Gate('ws-1', () => {}))).url, ADMIN_KEY);
    const putting = proxy.putState(egressState({ allowed_domains: ['a/b'] }), 1);
    await expect(putting).rejects.toMatchObject({
      reason: 'rejected',
      message: expect.stringContaining('a/b'),
    });
  });

  it('finds out a proxy with another key, a program in its place, and one that is not there', async () => {
    const { url } = await adminOf(new Gate('ws-1', () => {}));
    await expect(new ProxyAdmin(url, 'b'.repeat(64)).putState(egressState(), 1)).rejects.toMatchObject({
      reason: 'impostor',
    });
    const impostor = await listening(createServer((_, response) => response.end('{"status":"ok"}')));
    await expect(new ProxyAdmin(impostor, ADMIN_KEY).stats(1)).rejects.toMatchObject({ reason: 'impostor' });
    const silent = await listening(createServer(() => {}));
    const quick = new ProxyAdmin(silent, ADMIN_KEY, { timeoutMs: 50 });
    await expect(quick.stats(1)).rejects.toMatchObject({ reason: 'unreachable' });
  });

  it('shows no secret to a program in the place of the proxy, and believes none of its old answers', async () => {
    const gate = new Gate('ws-1', () => {});
    const { url } = await adminOf(gate);
    const seen: Buffer[] = [];
    let answer = Buffer.alloc(0);
    /** Passes the first call on, and answers later ones as that one was answered. */
    const between = createServer(async (request, response) => {
      const body = await buffer(request);
      seen.push(body, Buffer.from(JSON.stringify(request.headers)));
      if (answer.length === 0) {
        const passed = await fetch(`${url}${request.url}`, { method: 'PUT', body });
        answer = Buffer.from(await passed.arrayBuffer());
      }
      response.end(answer);
    });
    const proxy = new ProxyAdmin(await listening(between), ADMIN_KEY);
    const state = egressState({ anthropic: { base_url: 'https://a.example', api_key: 'canary' } });
    await proxy.putState(state, 1);
    await expect(proxy.putState(egressState(), 2)).rejects.toMatchObject({ reason: 'impostor' });
    expect(gate.state).toEqual(state);
    expect(Buffer.concat(seen).toString('latin1')).not.toMatch(/canary|aaaaaaaa/);
  });

  it('keeps the containers of a shared proxy', async () => {
    const containers = new ServedContainers(() => {});
    const admin = await runAdmin(containerCommands(containers));
    servers.push(admin.server);
    const proxy = new ProxyAdmin(admin.url, ADMIN_KEY);
    const credential_sha256 = createHash('sha256').update('credential').digest('hex');
    const state = egressState({ allowed_domains: ['pypi.org'] });
    await proxy.putContainer('ws-1', { credential_sha256, state }, 5);
    await proxy.putContainer('ws-2', { credential_sha256, state: egressState() }, 3);
    expect(containers.find('ws-1', 'credential')?.state).toEqual(state);
    expect(containers.find('ws-1', 'Credential')).toBeUndefined();
    expect(containers.find('ws-3', 'credential')).toBeUndefined();
    expect([...(await proxy.lookAtAll(1)).keys()]).toEqual(['ws-1', 'ws-2']);

    const bad = { credential_sha256, state: egressState({ allowed_domains: ['a/b'] }) };
    await expect(proxy.putContainer('ws-1', bad, 6)).rejects.toMatchObject({ reason: 'rejected' });
    await expect(proxy.putContainer('ws-4', bad, 6)).rejects.toMatchObject({ reason: 'rejected' });
    expect(containers.find('ws-1', 'credential')?.state).toEqual(state);

    expect(await proxy.removeContainer('ws-1', 7)).toMatchObject({ refused: {} });
    expect(await proxy.removeContainer('ws-1', 8)).toBeUndefined();
    expect(containers.find('ws-1', 'credential')).toBeUndefined();
    expect([...(await proxy.lookAtAll(2)).keys()]).toEqual(['ws-2']);
  });
});
