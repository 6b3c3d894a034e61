import { createHash, randomBytes } from 'node:crypto';
import { createServer, get as httpGet, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { describe, expect, it } from 'vitest';
import type { RoutePlan } from '../../../../runtime/egress/route-plan.ts';
import { certificateFor, trust } from './certificate.ts';
import { listen, startProxy, until } from './proxy-fixture.ts';

const COUNT = 8;
const BYTES = 3_000_000;

/** Answers `/n` with the nth body: every other with its length, the others in chunks of odd sizes. */
function serving(bodies: readonly Buffer[]): RequestListener {
  return (request, response) => {
    const which = Number(request.url?.slice(1));
    const body = bodies[which] ?? Buffer.alloc(0);
    if (which % 2 === 0) response.setHeader('Content-Length', body.length);
    for (let at = 0; at < body.length; at += 40_009) response.write(body.subarray(at, at + 40_009));
    response.end();
  };
}

/** The hash of an answer's body, which is read slowly. */
async function fetchSlowly(port: number, path: string): Promise<string> {
  const hash = createHash('sha256');
  let ended = false;
  httpGet({ port, host: '127.0.0.1', path, agent: false }, (answer) => {
    answer.on('data', (chunk) => {
      hash.update(chunk);
      answer.pause();
      setImmediate(() => answer.resume());
    });
    answer.on('end', () => {
      ended = true;
    });
  });
  await until(() => ended, 20_000);
  return hash.digest('hex');
}

describe('large answers that come at the same time', () => {
  it.each(['plain', 'secure'])('do not mix, over %s connections', async (kind) => {
    const bodies = Array.from({ length: COUNT }, () => randomBytes(BYTES));
    const { key, cert } = certificateFor('up.test');
    trust(cert);
    const secure = kind === 'secure';
    const server = secure
      ? createSecureServer({ key, cert }, serving(bodies))
      : createServer(serving(bodies));
    let opened = 0;
    server.on('connection', () => {
      opened += 1;
    });
    const port = await listen(server);
    const plan = (path: string): RoutePlan => ({
      method: 'GET',
      target: { secure, host: 'up.test', port },
      namedBy: 'tenant',
      path: path.replace('/mcp', ''),
      headers: [],
      secret: false,
    });
    const proxy = await startProxy(
      { mcp_domains: [`internal:up.test:${port}`] },
      { routes: ({ path }) => plan(path) },
    );
    for (let round = 0; round < 2; round += 1) {
      const hashes = await Promise.all(bodies.map((_, index) => fetchSlowly(proxy.port, `/mcp/${index}`)));
      expect(hashes).toEqual(bodies.map((body) => createHash('sha256').update(body).digest('hex')));
    }
    expect(opened).toBe(COUNT);
    expect(proxy.gate.stats().passed).toEqual({ forwarded: 2 * COUNT });
  });
});
