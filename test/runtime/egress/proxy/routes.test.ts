import { createServer } from 'node:https';
import { describe, expect, it } from 'vitest';
import type { RoutePlan, RouteRefusal, RouteRequest } from '../../../../runtime/egress/route-plan.ts';
import { certificateFor, trust } from './certificate.ts';
import { answerHello, listen, startProxy, startUpstream, until } from './proxy-fixture.ts';

const REQUEST =
  'POST /mcp/x/y?z HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nX-Own: 1\r\nContent-Length: 3\r\n\r\nabc';

function planTo(port: number, plan: Partial<RoutePlan> = {}): RoutePlan {
  return {
    method: 'POST',
    target: { secure: false, host: 'up.test', port },
    namedBy: 'tenant',
    path: '/base/y?z',
    headers: [['x-key', 'canary']],
    secret: false,
    ...plan,
  };
}

const answerBody = (socket: import('node:net').Socket, seen: string) => {
  if (seen.endsWith('abc')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello');
};

describe("a request to one of the proxy's own paths", () => {
  it('goes out as its plan says', async () => {
    const upstream = await startUpstream(answerBody);
    const asked: RouteRequest[] = [];
    const proxy = await startProxy(
      { mcp_domains: [`internal:up.test:${upstream.port}`] },
      {
        routes: (request) => {
          asked.push(request);
          return planTo(upstream.port, {
            headers: [
              ['x-key', 'canary'],
              ['Content-Length', '99'],
              ['Host', 'evil'],
            ],
          });
        },
      },
    );
    expect(await proxy.ask(REQUEST)).toContain('hello');
    expect(asked).toMatchObject([{ method: 'POST', path: '/mcp/x/y?z' }]);
    expect(asked[0]?.headers).toContainEqual(['X-Own', '1']);
    expect(upstream.seen).toEqual([
      `POST /base/y?z HTTP/1.1\r\nHost: up.test:${upstream.port}\r\nx-key: canary\r\nContent-Length: 3\r\n` +
        'Connection: keep-alive\r\n\r\nabc',
    ]);
    expect(proxy.gate.stats().durations).toMatchObject({ mcp: { count: 1 } });
  });

  it('is refused as its route says', async () => {
    const refusal: RouteRefusal = {
      refused: 'unknown_route',
      status: 404,
      message: 'There is no such server.',
    };
    const proxy = await startProxy({}, { routes: async () => refusal });
    expect(await proxy.ask('GET /mcp/x HTTP/1.1\r\nHost: a\r\n\r\n')).toMatch(
      /^HTTP\/1.1 404 .*no such server/s,
    );
    expect(proxy.gate.stats().refused).toEqual({ unknown_route: 1 });
  });

  it.each([
    [
      "a tenant's target that is not on its list",
      { namedBy: 'tenant' },
      [],
      ['internal:up.test'],
      'not_allowed',
    ],
    [
      "a tenant's target with a private address",
      { namedBy: 'tenant' },
      ['up.test:PORT'],
      [],
      'private_address',
    ],
    ["an operator's target with a private address", { namedBy: 'operator' }, [], [], 'private_address'],
    ["a secret for a tenant's plain target", { secret: true }, ['up.test:PORT'], [], 'insecure_target'],
    [
      "a secret for an operator's plain target",
      { secret: true, namedBy: 'operator' },
      [],
      ['up.test:PORT'],
      'insecure_target',
    ],
    ['a host that is none', { target: { secure: true, host: '0x7f.1', port: 443 } }, [], [], 'malformed'],
  ] as const)('is refused: %s', async (_name, plan, mcp, allowed, reason) => {
    const upstream = await startUpstream(answerBody);
    const withPort = (entries: readonly string[]) =>
      entries.map((entry) => entry.replace('PORT', String(upstream.port)));
    const proxy = await startProxy(
      { mcp_domains: withPort(mcp), allowed_domains: withPort(allowed) },
      { routes: () => planTo(upstream.port, plan) },
    );
    expect(await proxy.ask(REQUEST)).toMatch(/^HTTP\/1.1 403/);
    expect(proxy.gate.stats().refused).toEqual({ [reason]: 1 });
    expect(upstream.connections).toHaveLength(0);
    expect(JSON.stringify(proxy.lines)).not.toContain('canary');
  });

  it("takes an operator's target without a list, and a private one where that is marked", async () => {
    const upstream = await startUpstream(answerBody);
    const proxy = await startProxy(
      { allowed_domains: [`internal:up.test:${upstream.port}`] },
      { routes: () => planTo(upstream.port, { namedBy: 'operator', secret: true }) },
    );
    expect(await proxy.ask(REQUEST)).toContain('hello');
  });

  it('goes out with the headers that its whole body led to', async () => {
    const upstream = await startUpstream(answerBody);
    const finish = async (body: Buffer): Promise<[string, string][]> => [['x-signed', body.toString()]];
    const proxy = await startProxy(
      { mcp_domains: [`internal:up.test:${upstream.port}`] },
      { routes: () => planTo(upstream.port, { gather: { mostBytes: 3, finish } }) },
    );
    const chunked = REQUEST.replace('Content-Length: 3', 'Transfer-Encoding: chunked').replace(
      'abc',
      '1\r\na\r\n2\r\nbc\r\n0\r\n\r\n',
    );
    expect(await proxy.ask(chunked)).toContain('hello');
    expect(upstream.seen[0]).toMatch(/x-signed: abc\r\nContent-Length: 3\r\n.*\r\n\r\nabc$/s);
    const larger = REQUEST.replace('Content-Length: 3', 'Content-Length: 4000');
    expect(await proxy.ask(larger)).toMatch(/^HTTP\/1.1 413 .*Connection: close/s);
    expect(await proxy.ask(chunked.replace('2\r\nbc', '3\r\nbcd'))).toMatch(/^HTTP\/1.1 413/);
    expect(proxy.gate.gathered).toBe(0);
  });

  it.each<[string, Partial<RoutePlan>]>([
    ['a line end in a value', { headers: [['x-key', 'a\r\nx-more: canary']] }],
    ['what one byte can only hold as a line end', { headers: [['x-key', 'a\u010dx-more: canary']] }],
    ['a NUL in a value', { headers: [['x-key', 'a\0canary']] }],
    ['a colon in a name', { headers: [['x-key: canary\r\nx', 'a']] }],
    ['a name that is empty', { headers: [['', 'canary']] }],
    ['a space in its path', { path: '/canary HTTP/1.1' }],
    ['what one byte can only hold as a space', { path: '/canary\u0120HTTP/1.1' }],
    ['an empty path', { path: '' }],
    ['a method that is more', { method: 'GET /canary HTTP/1.1\r\n\r\nGET' }],
  ])('is not sent when its plan has %s', async (_name, plan) => {
    const upstream = await startUpstream(answerBody);
    const proxy = await startProxy(
      { mcp_domains: [`internal:up.test:${upstream.port}`] },
      { routes: () => planTo(upstream.port, plan) },
    );
    const answer = await proxy.ask(REQUEST);
    expect(answer).toMatch(/^HTTP\/1.1 500 /);
    expect(answer).not.toContain('canary');
    expect(upstream.connections).toHaveLength(0);
  });

  it('is refused while too much is being gathered', async () => {
    const upstream = await startUpstream(answerHello);
    const finish = async (): Promise<[string, string][]> => [];
    const proxy = await startProxy(
      { mcp_domains: [`internal:up.test:${upstream.port}`] },
      {
        routes: () => planTo(upstream.port, { gather: { mostBytes: 10, finish } }),
        limits: { gatheredBytesAtOnce: 5 },
      },
    );
    const client = proxy.open();
    client.socket.write(REQUEST.slice(0, -1));
    await until(() => proxy.gate.gathered === 3);
    expect(await proxy.ask(REQUEST)).toMatch(/^HTTP\/1.1 429/);
    client.socket.destroy();
    await until(() => proxy.gate.gathered === 0 && proxy.gate.requests === 0);
  });
});

describe('a secure target', () => {
  it('is named in the handshake, and its certificate is checked', async () => {
    const { key, cert } = certificateFor('up.test');
    const names: (string | false | null)[] = [];
    const server = createServer({ key, cert }, (request, response) => {
      // The socket of an HTTPS server is a TLS one; Node's types have the plain one here.
      names.push((request.socket as import('node:tls').TLSSocket).servername);
      request.resume().on('end', () => response.end(request.headers.host));
    });
    const port = await listen(server);
    const proxy = await startProxy(
      { mcp_domains: [`internal:.test:${port}`] },
      {
        routes: ({ path }) =>
          planTo(port, {
            secret: true,
            target: { secure: true, host: path.includes('other') ? 'other.test' : 'up.test', port },
          }),
      },
    );
    expect(await proxy.ask(REQUEST)).toMatch(/^HTTP\/1.1 502 .*SIGNED/s);
    trust(cert);
    expect(await proxy.ask(REQUEST)).toMatch(new RegExp(`up.test:${port}$`));
    expect(await proxy.ask(REQUEST.replace('/y', '/other'))).toMatch(/^HTTP\/1.1 502 .*ALTNAME/s);
    expect(names).toEqual(['up.test']);
  });
});
