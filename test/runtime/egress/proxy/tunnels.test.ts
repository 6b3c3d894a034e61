import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { Gate } from '../../../../runtime/egress/gate.ts';
import { expectHello } from '../../../../runtime/egress/proxy/expect-hello.ts';
import { parseConnectTarget } from '../../../../runtime/egress/verdict/target.ts';
import { clientHello, records } from './client-hello-bytes.ts';
import { listen, openClient, startProxy, startUpstream, until } from './proxy-fixture.ts';

const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';
const connectTo = (port: number, host = 'up.test') =>
  `CONNECT ${host}:${port} HTTP/1.1\r\nHost: ${host}:${port}\r\n\r\n`;

async function proxyTo(upstream: { port: number }, options = {}) {
  return startProxy({ allowed_domains: [`internal:up.test:${upstream.port}`] }, options);
}

describe('a tunnel', () => {
  it('carries bytes untouched both ways, and half-closes as its ends do', async () => {
    const upstream = await startUpstream(() => {});
    const proxy = await proxyTo(upstream);
    const client = proxy.open();
    client.socket.write(`${connectTo(upstream.port)}early`);
    await until(() => client.received === ESTABLISHED && upstream.seen[0] === 'early');
    const up = randomBytes(3_000_000);
    const down = randomBytes(3_000_000);
    upstream.connections[0]?.write(down);
    client.socket.end(up);
    const [connection] = upstream.connections;
    await until(() => connection?.readableEnded === true);
    expect(upstream.seen[0] === `early${up.toString('latin1')}`).toBe(true);
    expect(client.ended).toBe(false);
    connection?.end('bye');
    await until(() => client.ended);
    expect(client.received === `${ESTABLISHED}${down.toString('latin1')}bye`).toBe(true);
    await until(() => proxy.gate.connections === 0);
    expect(proxy.gate.stats()).toMatchObject({ passed: { forwarded: 1 }, durations: {} });
  });

  it('gives a slow reader all that was sent before the other end closed', async () => {
    const upstream = await startUpstream(() => {});
    const proxy = await proxyTo(upstream);
    const client = proxy.open();
    client.socket.write(connectTo(upstream.port));
    await until(() => client.received === ESTABLISHED && upstream.connections.length === 1);
    client.socket.pause();
    client.socket.end();
    const [connection] = upstream.connections;
    await until(() => connection?.readableEnded === true);
    const sent = 16_000_000;
    connection?.end(Buffer.alloc(sent));
    client.socket.resume();
    await until(() => client.ended);
    expect(client.received.length).toBe(ESTABLISHED.length + sent);
  });

  it('ends on one side when the other fails', async () => {
    const upstream = await startUpstream(() => {});
    const proxy = await proxyTo(upstream);
    const client = proxy.open();
    client.socket.write(connectTo(upstream.port));
    await until(() => client.received === ESTABLISHED && upstream.connections.length === 1);
    upstream.connections[0]?.resetAndDestroy();
    await until(() => client.closed || client.ended);
    const other = proxy.open();
    other.socket.write(`${connectTo(upstream.port)}x`);
    await until(() => upstream.seen[1] === 'x');
    other.socket.resetAndDestroy();
    await until(
      () => upstream.connections[1]?.destroyed === true || upstream.connections[1]?.readableEnded === true,
    );
  });

  it.each([
    ['a port that is not on the list', 'up.test:25', 403, 'not_allowed'],
    ['a host that is not on the list', 'evil.test:443', 403, 'not_allowed'],
    ['an address that is not on the list', '127.0.0.1:443', 403, 'not_allowed'],
    ['the metadata address in disguise', '[::ffff:a9fe:a9fe]:80', 403, 'not_allowed'],
    ['an address in hexadecimal', '0x7f000001:443', 400, 'malformed'],
    ['a user', 'up.test@evil.test:443', 400, 'malformed'],
    ['no port', 'up.test', 400, 'malformed'],
    ['a name without an address', 'none.test:443', 502, 'unresolved'],
    ['a name with a private address', 'private.test:443', 403, 'private_address'],
    ['a listed private address', '10.0.0.1:443', 403, 'private_address'],
  ] as const)('to %s is refused', async (_name, target, status, reason) => {
    const proxy = await startProxy(
      { allowed_domains: ['up.test', 'none.test', 'private.test', '10.0.0.1'] },
      { lookup: async (host: string) => (host === 'private.test' ? ['1.1.1.1', '10.0.0.1'] : []) },
    );
    const answer = await proxy.ask(`CONNECT ${target} HTTP/1.1\r\nHost: x\r\n\r\n`);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} .*Connection: close`, 's'));
    expect(proxy.gate.stats().refused).toEqual({ [reason]: 1 });
    expect(proxy.lines).toMatchObject([{ reason, method: 'connect' }]);
  });

  it('with a body, or behind a request that is not answered yet, is none', async () => {
    const upstream = await startUpstream(() => {});
    const proxy = await proxyTo(upstream);
    const withBody = `CONNECT up.test:${upstream.port} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc`;
    expect(await proxy.ask(withBody)).toMatch(/^HTTP\/1.1 400/);
    const get = `GET http://up.test:${upstream.port}/ HTTP/1.1\r\nHost: x\r\n\r\n`;
    expect(await proxy.ask(get + connectTo(upstream.port))).toBe('');
  });

  it('to what does not listen is a 502, and to what does not answer in time a 504', async () => {
    const server = createServer();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const proxy = await proxyTo({ port });
    expect(await proxy.ask(connectTo(port))).toMatch(/^HTTP\/1.1 502/);
    const slow = await startProxy(
      { allowed_domains: ['internal:up.test'] },
      { lookup: () => new Promise(() => {}), limits: { connectMs: 50 } },
    );
    expect(await slow.ask(connectTo(443))).toMatch(/^HTTP\/1.1 504/);
  });

  it('that stands still is closed', async () => {
    const upstream = await startUpstream(() => {});
    const proxy = await proxyTo(upstream, { limits: { idleTunnelMs: 100 } });
    const client = proxy.open();
    client.socket.write(connectTo(upstream.port));
    await until(() => client.received === ESTABLISHED);
    await until(() => client.closed || client.ended);
    expect(proxy.gate.connections).toBe(0);
  });

  it('to a TLS port carries a handshake for its host, and is cut when that is for another', async () => {
    const upstream = await startUpstream(() => {});
    const proxy = await proxyTo(upstream, { tlsPorts: [upstream.port] });
    const right = records(clientHello({ names: ['up.test'] }));
    const client = proxy.open();
    client.socket.write(connectTo(upstream.port));
    await until(() => client.received === ESTABLISHED);
    upstream.connections[0]?.write('not before the hello');
    client.socket.write(right.subarray(0, 100));
    client.socket.write(right.subarray(100));
    await until(() => upstream.seen[0] === right.toString('latin1'));
    await until(() => client.received.endsWith('not before the hello'));

    const other = proxy.open();
    other.socket.write(connectTo(upstream.port));
    other.socket.write(records(clientHello({ names: ['evil.test'] })));
    await until(() => other.closed || other.ended);
    await until(
      () => upstream.connections[1]?.readableEnded === true || upstream.connections[1]?.destroyed === true,
    );
    expect(upstream.seen[1]).toBe('');
    expect(proxy.gate.stats()).toMatchObject({ refused: { wrong_sni: 1 }, passed: { forwarded: 1 } });
    expect(proxy.lines).toMatchObject([{ host: 'up.test', port: upstream.port, reason: 'wrong_sni' }]);
  });

  it('ends when its gate closes', async () => {
    const upstream = await startUpstream(() => {});
    const proxy = await proxyTo(upstream);
    const client = proxy.open();
    client.socket.write(`${connectTo(upstream.port)}x`);
    await until(() => upstream.seen[0] === 'x');
    proxy.gate.close();
    await until(() => (client.closed || client.ended) && upstream.connections[0]?.readableEnded === true);
  });
});

/** Whether the bytes would be let into a tunnel to `host`, and what the upstream would get. */
async function hello(host: string, bytes: Buffer[], patienceMs = 5000) {
  const server = createServer({ pauseOnConnect: true });
  const port = await listen(server);
  const accepted = new Promise<import('node:net').Socket>((resolve) => server.once('connection', resolve));
  const client = openClient(port);
  const socket = await accepted;
  const verdict = expectHello(socket, parseConnectTarget(`${host}:443`), patienceMs);
  for (const part of bytes) await new Promise((resolve) => client.socket.write(part, resolve));
  if (patienceMs === 5000) client.socket.end();
  const wanted = await verdict;
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk);
  return { wanted, bytes: Buffer.concat(chunks) };
}

describe('on port 443', () => {
  const named = (name: string) => records(clientHello({ names: [name] }));

  it('a handshake that names the host goes on, byte for byte, in however many pieces it comes', async () => {
    const bytes = Buffer.concat([named('UP.test'), Buffer.from([23, 3, 3, 0, 1, 9])]);
    const parts = [...bytes].map((byte) => Buffer.from([byte]));
    expect(await hello('up.test', [bytes])).toEqual({ wanted: true, bytes });
    expect(await hello('up.test', parts)).toEqual({ wanted: true, bytes });
  });

  it.each([
    ['another name', 'up.test', named('evil.test')],
    ['a name with a trailing dot', 'up.test', named('up.test.')],
    ['no name', 'up.test', records(clientHello({ names: [] }))],
    ['a name for an address', '1.1.1.1', named('up.test')],
    ['something else than TLS', 'up.test', Buffer.from('SSH-2.0-x\r\n')],
    ['half a handshake', 'up.test', named('up.test').subarray(0, 50)],
    [
      'far too long a handshake',
      'up.test',
      Buffer.concat([Buffer.from([22, 3, 1, 64, 0, 1, 0, 255, 255]), Buffer.alloc(20_000)]),
    ],
  ])('one with %s is refused', async (_name, host, bytes) => {
    await expect(hello(host, [bytes])).rejects.toMatchObject({ reason: 'wrong_sni' });
  });

  it('one without a name is right for an address', async () => {
    const bytes = records(clientHello({ names: [] }));
    expect(await hello('1.1.1.1', [bytes])).toEqual({ wanted: true, bytes });
  });

  it('one that does not come in time is refused, and leaving without a byte is nothing to count', async () => {
    await expect(hello('up.test', [Buffer.from([22])], 50)).rejects.toMatchObject({ reason: 'wrong_sni' });
    expect((await hello('up.test', [])).wanted).toBe(false);
  });
});

it('a gate logs a few lines a second, and then how many it left out', async () => {
  const proxy = await startProxy({});
  for (let turn = 0; turn < 50; turn += 1) await proxy.ask('CONNECT no.test:443 HTTP/1.1\r\nHost: x\r\n\r\n');
  proxy.gate.close();
  expect(proxy.gate).toBeInstanceOf(Gate);
  const leftOut = proxy.lines.map((line) => Number(line.left_out ?? 0)).reduce((sum, count) => sum + count);
  expect(proxy.lines.filter((line) => line.reason === 'not_allowed').length + leftOut).toBe(50);
  expect(leftOut).toBeGreaterThan(0);
});
