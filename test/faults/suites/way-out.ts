import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually, type OpenCluster, poolOf } from '../../support/cluster.ts';
import type { RuntimeProcess } from '../../support/runtime-process.ts';
import { redis } from '../../support/services/provided.ts';
import { Upstream } from '../../support/upstream.ts';

const CANARY = 'canary-header-77d0';

/** What the way out of a container lives through, on whatever place; `upstreamHost` is this machine as the proxy sees it. */
export function wayOutIsKept(open: OpenCluster, upstreamHost = () => Upstream.host): void {
  let upstream: Upstream;
  beforeAll(async () => {
    upstream = await Upstream.start({}, upstreamHost());
  });
  afterAll(() => upstream[Symbol.asyncDispose]());

  const clusterOf = (env: Record<string, string> = {}) =>
    open({ EGRESS_ALLOWED_DOMAINS: `internal:${upstream.authority}`, ...env });
  const tickets = () => ({ url: `http://${upstream.authority}/base`, headers: { 'X-Secret': CANARY } });
  const setServers = async (runtime: RuntimeProcess, mcp_servers: unknown) => {
    const answer = await runtime.fetch('/v1/conversations/c/egress', {
      method: 'PUT',
      body: JSON.stringify({ mcp_servers }),
      headers: { 'content-type': 'application/json' },
    });
    expect(answer.status).toBe(200);
  };
  const listTickets = async (runtime: RuntimeProcess): Promise<string> => {
    const script = 'curl -sS --max-time 5 "$HTTP_PROXY/mcp/tickets/list" 2>&1';
    return (await runtime.exec('c', ['bash', '-c', script])).stdout;
  };

  it.each(['SIGKILL', 'SIGTERM'] as const)(
    'is given back, with its rules, by another instance after a %s',
    async (signal) => {
      await using cluster = clusterOf();
      const [one, two] = [await cluster.start(), await cluster.start()];
      await setServers(one, { tickets: tickets() });
      expect(await listTickets(one)).toBe('GET /base/list\n');
      await one.stop(signal);
      await eventually(async () => expect(await listTickets(two)).toBe('GET /base/list\n'), 20);
      expect(upstream.seen.at(-1)?.headers['x-secret']).toBe(CANARY);
    },
  );

  it('has the rules that were set last, at whichever of two instances', async () => {
    await using cluster = clusterOf();
    const [one, two] = [await cluster.start(), await cluster.start()];
    await setServers(one, { tickets: tickets() });
    expect(await listTickets(one)).toBe('GET /base/list\n');
    await setServers(two, { tickets: { ...tickets(), url: `http://${upstream.authority}/second` } });
    expect(await listTickets(one)).toBe('GET /second/list\n');
    await setServers(one, { tickets: { ...tickets(), url: `http://${upstream.authority}/third` } });
    expect(await listTickets(two)).toBe('GET /third/list\n');
    await setServers(two, {});
    expect(await listTickets(one)).toContain('There is no such MCP server');
  });

  it('keeps its rules sealed in Redis, and has them again after Redis forgot everything', async () => {
    await using cluster = clusterOf();
    const one = await cluster.start();
    await setServers(one, { tickets: tickets() });
    expect(await listTickets(one)).toBe('GET /base/list\n');
    const client = new Redis(redis().url);
    const keys = await client.keys(`${cluster.installation}:*`);
    expect(keys).toContainEqual(expect.stringContaining('workspace:egress:'));
    const held = await Promise.all(keys.map((key) => client.dump(key)));
    expect(held.join('')).not.toContain(CANARY);
    await client.del(...keys);
    await client.quit();
    await one.stop('SIGKILL');
    const two = await cluster.start();
    await eventually(async () => expect(await listTickets(two)).toBe('GET /base/list\n'), 20);
  });

  it('is opened for a container from the warm pool that another instance made', async () => {
    await using cluster = clusterOf(poolOf(1));
    const one = await cluster.start();
    await eventually(async () => {
      const view = await (await one.fetch('/v1/warm-pool')).json();
      expect(view).toMatchObject({ size: 1 });
    });
    const two = await cluster.start();
    await setServers(two, { tickets: tickets() });
    expect(await listTickets(two)).toBe('GET /base/list\n');
  });
}
