import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RoutePlan, RouteRequest } from '../../../../runtime/egress/route-plan.ts';
import { routeRequest } from '../../../../runtime/egress/routes/route-request.ts';
import { egressState, planned, refused, routeRequestTo } from './egress-state.ts';

const state = egressState({
  mcp_servers: {
    tools: { real_base_url: 'https://mcp.example.com/base/v1', headers: { Authorization: 'Bearer canary' } },
    slash: { real_base_url: 'https://mcp.example.com/base/', headers: {} },
    root: { real_base_url: 'http://mcp.example.com:8000', headers: {} },
  },
});
const plan = (path: string, parts: Partial<RouteRequest> = {}): RoutePlan =>
  planned(routeRequest(routeRequestTo(path, parts), state));
const refusal = (path: string, parts: Partial<RouteRequest> = {}) =>
  refused(routeRequest(routeRequestTo(path, parts), state));

describe('a request to an MCP server', () => {
  it.each([
    ['/mcp/tools', '/base/v1'],
    ['/mcp/tools/', '/base/v1/'],
    ['/mcp/tools/sse', '/base/v1/sse'],
    ['/mcp/tools/a/b/', '/base/v1/a/b/'],
    ['/mcp/tools?session=1&x=%2e%2e', '/base/v1?session=1&x=%2e%2e'],
    ['/mcp/tools/a.b/..c/d..?q=/../', '/base/v1/a.b/..c/d..?q=/../'],
    ['/mcp/tools/100%25/caf%C3%A9', '/base/v1/100%25/caf%C3%A9'],
    ['/mcp/slash', '/base/'],
    ['/mcp/slash/a', '/base/a'],
    ['/mcp/root', '/'],
    ['/mcp/root/a', '/a'],
  ])('%s goes to %s', (path, sent) => {
    expect(plan(path).path).toBe(sent);
  });

  it('goes where the rule says, as one that a tenant named', () => {
    expect(plan('/mcp/tools/a')).toMatchObject({
      target: { secure: true, host: 'mcp.example.com', port: 443 },
      namedBy: 'tenant',
      secret: true,
    });
    expect(plan('/mcp/root')).toMatchObject({
      target: { secure: false, host: 'mcp.example.com', port: 8000 },
      secret: false,
    });
  });

  it("has the rule's headers over the client's, however those are spelt", () => {
    const headers: RouteRequest['headers'] = [
      ['AUTHORIZATION', 'mine'],
      ['authorization', 'mine too'],
      ['Accept', 'text/event-stream'],
    ];
    expect(plan('/mcp/tools', { headers }).headers).toEqual([
      ['Accept', 'text/event-stream'],
      ['Authorization', 'Bearer canary'],
    ]);
    expect(plan('/mcp/root', { headers: [['Authorization', 'mine']] }).headers).toEqual([
      ['Authorization', 'mine'],
    ]);
  });

  it('loses what belongs to the connection and what only a proxy says', () => {
    const headers: RouteRequest['headers'] = [
      ...['Host', 'Via', 'Forwarded', 'X-Forwarded-For', 'X_Forwarded_Host', 'Proxy-Authorization'],
      ...['Proxy-Connection', 'Expect', 'TE', 'Trailer', 'Upgrade', 'Keep-Alive', 'X-Mine', 'Content-Length'],
      ...['Transfer-Encoding', 'Transfer_Encoding'],
    ].map((name) => [name, 'x'] as const);
    const all = [['Connection', 'close, x-mine'] as const, ...headers, ['X-Kept', '1'] as const];
    expect(plan('/mcp/root', { headers: all }).headers).toEqual([['X-Kept', '1']]);
  });

  it('keeps the rule\'s header also where "Connection" names it', () => {
    const headers: RouteRequest['headers'] = [['Connection', 'authorization']];
    expect(plan('/mcp/tools', { headers }).headers).toEqual([['Authorization', 'Bearer canary']]);
  });

  it.each(['TRACE', 'CONNECT', 'BREW'])('is refused with the method %s', (method) => {
    expect(refusal('/mcp/tools', { method })).toMatchObject({ refused: 'forbidden_path', status: 405 });
  });

  it.each([
    '/mcp',
    '/mcp/',
    '/mcp/other',
    '/mcp/constructor/a',
    '/mcp/__proto__',
    '/mcp/Tools',
    '/mcp/t%6fols',
  ])('%s names no server', (path) => {
    expect(refusal(path)).toMatchObject({ refused: 'unknown_route', status: 404 });
  });

  it.each([
    '/mcp/tools/..',
    '/mcp/tools/../v2',
    '/mcp/tools/a/../../v2',
    '/mcp/tools/.',
    '/mcp/tools/.../a',
    '/mcp/tools/%2e%2e/v2',
    '/mcp/tools/.%2E/v2',
    '/mcp/tools/%252e%252e/v2',
    '/mcp/tools/%25252e%25252e/v2',
    '/mcp/tools/%252e%252e%252fv2%25',
    '/mcp/tools/%25252525252e',
    '/mcp/tools/..%2fv2',
    '/mcp/tools/a%2Fb',
    '/mcp/tools/a%252fb',
    '/mcp/tools/..%5cv2',
    '/mcp/tools/..\\v2',
    '/mcp/tools/a%5Cb',
    '/mcp/tools/..;/v2',
    '/mcp/tools/..;a=b/v2',
    '/mcp/tools/%2e%2e%3bx/v2',
    '/mcp/tools/;a/v2',
    '/mcp/tools/..%20/v2',
    '/mcp/tools/..%00/v2',
    '/mcp/tools/..%09',
    '/mcp/tools/a%0d%0ab',
    '/mcp/tools/%c0%ae%c0%ae/v2',
    '/mcp/tools/%25c0%25ae',
    '/mcp/tools/%ef%bc%8e%ef%bc%8e/v2',
    '/mcp/tools/%e2%80%a5/v2',
    '/mcp/tools/..%ef%bc%8fv2',
    '/mcp/tools/%25u002e%25u002e/v2',
    '/mcp/tools//v2',
    '/mcp/tools//evil.example/',
    '/mcp/tools/a//',
    '/mcp/tools/%',
    '/mcp/tools/%zz',
    '/mcp/tools/a b',
    '/mcp/tools/a#b',
    '/mcp/tools/?a#b',
    '/mcp/tools/é',
    'mcp/tools',
    'http://other.example/mcp/tools',
    '*',
    '',
  ])('%s is refused', (path) => {
    expect(refusal(path)).toMatchObject({ refused: 'forbidden_path', status: 403 });
  });

  it('never leaves the base, whatever pieces its path is made of', () => {
    const piece = fc.constantFrom(
      ...['/', '.', '..', '%2e', '%2E', '%252e', '%2f', '%5c', '\\', ';', 'a', '%25', '?', '%00', '%c0%ae'],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const outcome = routeRequest(routeRequestTo(`/mcp/tools/${pieces.join('')}`), state);
        if ('refused' in outcome) return;
        let [path = ''] = outcome.path.split('?');
        for (let round = 0; round < 6; round += 1) {
          const resolved = new URL(path.replaceAll('\\', '/').replaceAll(/;[^/]*/g, ''), 'http://base')
            .pathname;
          expect(`${resolved}/`.startsWith('/base/v1/')).toBe(true);
          path = path.replaceAll(/%([0-9a-f]{2})/gi, (_, hex) =>
            String.fromCharCode(Number.parseInt(hex, 16)),
          );
        }
      }),
      { numRuns: 2000 },
    );
  });
});
