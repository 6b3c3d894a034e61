import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { Gate } from '../../../../runtime/egress/gate.ts';
import { createProxyServer } from '../../../../runtime/egress/proxy/proxy-server.ts';
import { Upstream } from '../../../support/upstream.ts';
import { stateOf, until } from '../proxy/proxy-fixture.ts';
import { isWhole, talk } from './talk.ts';

const MOST_CONNECTIONS = 256;
/** What one request may take while another container floods, on a machine that is busy with other tests as well. */
const PATIENCE_MS = 2000;

describe("one container's flood, while another is served", () => {
  let folder: string;
  let upstream: Upstream;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'berth-flood-'));
    upstream = await Upstream.start();
    return async () => {
      await upstream[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    };
  });

  async function proxyOf(name: string): Promise<{ gate: Gate; path: string }> {
    const gate = new Gate(name, () => {});
    gate.replace(stateOf({ allowed_domains: [`internal:${upstream.authority}`] }));
    const server = createProxyServer(gate);
    const path = join(folder, `${name}-${process.hrtime.bigint()}`);
    await new Promise<void>((resolve) => server.listen(path, resolve));
    onTestFinished(() => {
      gate.close();
      server.close();
    });
    return { gate, path };
  }

  /** The slowest of a few requests, one after the other. */
  async function slowest(path: string): Promise<number> {
    let most = 0;
    for (let count = 0; count < 20; count += 1) {
      const began = performance.now();
      const asked = `GET http://${upstream.authority}/good HTTP/1.1\r\nHost: a\r\n\r\n`;
      const { received } = await talk(path, [asked], isWhole);
      expect(received).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      most = Math.max(most, performance.now() - began);
    }
    return most;
  }

  function open(path: string, bytes: string): Socket {
    const socket = connect({ path, allowHalfOpen: true });
    socket.on('error', () => {}).resume();
    socket.write(bytes);
    onTestFinished(() => void socket.destroy());
    return socket;
  }

  const head = (rest: string) => `GET http://${upstream.authority}/ HTTP/1.1\r\nHost: a\r\n${rest}`;
  it.each([
    ['of silent connections', ''],
    ['of heads that never end', 'GET http://up'],
    ['of refused requests', 'GET http://evil.test/ HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(200)],
    ['of requests sent ahead', 'PIPELINED'],
    ['of garbage', '\0'.repeat(20_000)],
  ])('%s', async (_name, bytes) => {
    const [bad, good] = [await proxyOf('bad'), await proxyOf('good')];
    const flood = bytes === 'PIPELINED' ? head('\r\n').repeat(200) : bytes;
    for (let count = 0; count < 2 * MOST_CONNECTIONS; count += 1) open(bad.path, flood);
    expect(await slowest(good.path)).toBeLessThan(PATIENCE_MS);
    expect(bad.gate.connections).toBeLessThanOrEqual(MOST_CONNECTIONS);
    expect(good.gate.stats().refused).toEqual({});
  });

  it('is answered with 429 above its places, and gets them back', async () => {
    const { gate, path } = await proxyOf('full');
    const sockets = Array.from({ length: MOST_CONNECTIONS }, () => open(path, ''));
    await until(() => gate.connections === MOST_CONNECTIONS);
    const { received } = await talk(path, [head('\r\n')], isWhole);
    expect(received).toMatch(/^HTTP\/1\.1 429 /);
    expect(gate.stats().refused).toEqual({ too_many: 1 });
    for (const socket of sockets) socket.destroy();
    await until(() => gate.connections === 0);
    expect(await slowest(path)).toBeLessThan(PATIENCE_MS);
  });
});
