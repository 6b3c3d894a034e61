import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, get, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RoutePlan } from '../../../../runtime/egress/route-plan.ts';
import { certificateFor, trust } from './certificate.ts';
import { listen, startProxy } from './proxy-fixture.ts';

const COUNT = 8;
const BYTES = 2_000_000;

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

function hashOf(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}

async function readAll(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  return hashOf(Buffer.concat(chunks));
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
    // The kernel holds little for a Unix socket, so that the proxy has to.
    const folder = mkdtempSync(join(tmpdir(), 'berth-answers-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const socketPath = join(folder, 'proxy.sock');
    proxy.server.close();
    await once(proxy.server, 'close');
    proxy.server.listen(socketPath);
    await once(proxy.server, 'listening');
    for (let round = 0; round < 2; round += 1) {
      const asked = bodies.map((_, index) => get({ socketPath, path: `/mcp/${index}`, agent: false }));
      // All have begun before any of them is read.
      const answers = await Promise.all(asked.map((request) => once(request, 'response')));
      const hashes = await Promise.all(answers.map(([answer]) => readAll(answer)));
      expect(hashes).toEqual(bodies.map(hashOf));
    }
    expect(opened).toBe(COUNT);
    expect(proxy.gate.stats().passed).toEqual({ forwarded: 2 * COUNT });
  });
});
