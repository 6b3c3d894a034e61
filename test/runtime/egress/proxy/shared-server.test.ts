import { describe, expect, it } from 'vitest';
import { Gate } from '../../../../runtime/egress/gate.ts';
import { createSharedProxyServer } from '../../../../runtime/egress/proxy/proxy-server.ts';
import { ask, listen, openClient, startUpstream, stateOf, until } from './proxy-fixture.ts';

const basic = (text: string) => `Proxy-Authorization: Basic ${Buffer.from(text).toString('base64')}\r\n`;

async function startShared() {
  const upstream = await startUpstream();
  const gates = new Map(['one', 'two'].map((name) => [name, new Gate(name, () => {})]));
  for (const gate of gates.values())
    gate.replace(stateOf({ allowed_domains: [`internal:${gate.container}.test:${upstream.port}`] }));
  const nobody = new Gate('', () => {});
  const find = (container: string, credential: string) =>
    credential === `secret:${container}` ? gates.get(container) : undefined;
  const port = await listen(createSharedProxyServer(find, { lookup: async () => ['127.0.0.1'], nobody }));
  const get = (name: string, headers: string) =>
    `GET http://${name}.test:${upstream.port}/ HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
  return { upstream, gates, nobody, port, get };
}

describe('a shared proxy', () => {
  it("knows a container by its credential, applies that one's rules, and passes the credential to nobody", async () => {
    const { upstream, gates, port, get } = await startShared();
    expect(await ask(port, get('one', basic('one:secret:one')))).toContain('hello');
    expect(await ask(port, get('two', basic('two:secret:two')))).toContain('hello');
    expect(await ask(port, get('one', basic('two:secret:two')))).toMatch(/^HTTP\/1.1 403/);
    expect(gates.get('two')?.stats()).toMatchObject({
      refused: { not_allowed: 1 },
      passed: { forwarded: 1 },
    });
    expect(upstream.seen.join('')).not.toMatch(/authorization/i);
    // Each has connections of its own.
    expect(upstream.connections).toHaveLength(2);
  });

  it.each([
    ['none', ''],
    ['a wrong one', basic('one:wrong')],
    ["another's", basic('one:secret:two')],
    ['one of nobody', basic('three:secret:three')],
    ['one without a colon', basic('one')],
    ['another scheme', 'Proxy-Authorization: Bearer x\r\n'],
    ['two', basic('one:secret:one') + basic('one:secret:one')],
  ])('asks for the credential when there is %s', async (_name, headers) => {
    const { upstream, nobody, port, get } = await startShared();
    const connect = `CONNECT one.test:${upstream.port} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
    for (const request of [
      get('one', headers),
      connect,
      `GET /mcp/x HTTP/1.1\r\nHost: a\r\n${headers}\r\n`,
    ]) {
      const answer = await ask(port, request);
      expect(answer).toMatch(/^HTTP\/1.1 407 .*\r\nProxy-Authenticate: Basic realm="berth"\r\n/s);
    }
    expect(nobody.stats().refused).toEqual({ unauthenticated: 3 });
    expect(upstream.connections).toHaveLength(0);
  });

  it('wants the credential with every request, and one connection to be one container', async () => {
    const { upstream, port, get } = await startShared();
    const client = openClient(port);
    client.socket.write(get('one', basic('one:secret:one')));
    await until(() => client.received.endsWith('hello'));
    client.socket.write(get('one', ''));
    await until(() => client.received.includes('407'));
    client.socket.write(get('two', basic('two:secret:two')));
    await until(() => client.received.match(/ 407 /g)?.length === 2);
    client.socket.write(get('one', basic('one:secret:one')));
    await until(() => client.received.match(/hello/g)?.length === 2);
    expect(upstream.connections).toHaveLength(1);
  });

  it('lets a container tunnel with its credential', async () => {
    const { upstream, gates, port } = await startShared();
    const client = openClient(port);
    client.socket.write(
      `CONNECT one.test:${upstream.port} HTTP/1.1\r\nHost: a\r\n${basic('one:secret:one')}\r\nbytes`,
    );
    await until(() => upstream.seen[0] === 'bytes');
    expect(gates.get('one')?.connections).toBe(1);
    gates.get('one')?.close();
    await until(() => client.closed || client.ended);
  });

  it('takes only so many connections of one address before they say whose they are', async () => {
    const { nobody, port, get } = await startShared();
    const strangers = Array.from({ length: 64 }, () => openClient(port));
    await until(() => strangers.every(({ socket }) => socket.readyState === 'open'));
    expect(await ask(port, '')).toMatch(/^HTTP\/1.1 429/);
    expect(nobody.stats().refused).toEqual({ too_many: 1 });
    const [first, ...others] = strangers;
    first?.socket.write(get('one', basic('one:secret:one')));
    await until(() => first?.received.endsWith('hello') === true);
    expect(others.every(({ closed }) => !closed)).toBe(true);
    expect(await ask(port, get('one', basic('one:secret:one')))).toContain('hello');
  });
});
