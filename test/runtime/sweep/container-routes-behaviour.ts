import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashApiKey } from '../../../runtime/access/api-key.ts';
import { KeyRing } from '../../../runtime/access/key-ring.ts';
import type { ContainerId } from '../../../runtime/contracts/ids.ts';
import { createApp } from '../../../runtime/http/app.ts';
import { openApiDocument } from '../../../runtime/http/openapi.ts';
import { containerRoutes } from '../../../runtime/http/routes/container-routes.ts';
import { HttpServer } from '../../../runtime/http/server.ts';
import { openMemoryState } from '../../../runtime/state/memory/open-memory-state.ts';
import { ContainerInventory } from '../../../runtime/sweep/container-inventory.ts';
import { Metrics } from '../../../runtime/telemetry/metrics.ts';
import { TestAgent } from '../../contract/container-backend/agent-calls.ts';
import { tenant } from '../../contract/state/names.ts';
import { must } from '../../support/must.ts';
import { Fleet } from './fleet.ts';
import type { FleetPlace } from './fleet-place.ts';

const key = (name: 'use' | 'admin') => ({
  name,
  tenant: tenant('ops'),
  scope: name,
  sha256: hashApiKey(name),
});

/** What an operator sees of containers and does to them, wherever they run. */
export function containerRoutesBehaviour(place: () => FleetPlace): void {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  let fleet: Fleet;
  let server: HttpServer;
  let url: string;
  let [live, warm, starting, orphan]: ContainerId[] = [];

  beforeAll(async () => {
    const state = openMemoryState();
    fleet = new Fleet({ state, home: place() });
    const reconcile = fleet.reconcile();
    const routes = containerRoutes({
      inventory: new ContainerInventory({
        state,
        backend: fleet.backend,
        expiresAt: (record) => record.lastActiveAt + 1000,
        warmTtlSeconds: 1800,
      }),
      backend: fleet.backend,
      kill: async (id) => {
        if ((await fleet.backend.inspect(id)) === undefined) return false;
        await fleet.end(id);
        return true;
      },
      sweep: (request) => reconcile.runOnce(request),
      log,
    });
    const ring = new KeyRing([key('use'), key('admin')]);
    const metrics = new Metrics(async () => 0);
    server = new HttpServer(createApp({ routes, ring, log, metrics, trustedProxies: [] }));
    url = await server.listen('127.0.0.1', 0);
    expect(Object.keys(openApiDocument(routes, '0', undefined).paths as object)).toEqual([
      '/v1/containers',
      '/v1/containers/{id}/logs',
      '/v1/containers/{id}',
      '/v1/sweep',
    ]);

    [live, warm, starting, orphan] = await Promise.all([
      fleet.of('a'),
      fleet.container(),
      fleet.container(),
      fleet.container(),
    ]);
    await fleet.record('a', live);
    const member = { owner: 'one', leaseSeconds: 30, image: 'i', manager: 'any' };
    const room = { most: 5, maxContainers: 10 };
    await state.warmPool.reserve({ container: warm, ...member, ...room });
    await state.warmPool.add({ container: warm, ...member });
    await state.warmPool.reserve({ container: starting, ...member, ...room });
  });
  afterAll(async () => {
    await server.close();
    await fleet[Symbol.asyncDispose]();
  });

  const call = (method: string, path: string, options: { as?: string; body?: unknown } = {}) =>
    fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${options.as ?? 'admin'}`, 'content-type': 'application/json' },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    });
  const audits = () => lines.filter(({ audit }) => audit !== undefined);

  it('is for admins only', async () => {
    const calls: [string, string][] = [
      ['GET', '/v1/containers'],
      ['GET', `/v1/containers/${live}/logs`],
      ['DELETE', `/v1/containers/${live}`],
      ['POST', '/v1/sweep'],
    ];
    for (const [method, path] of calls) {
      expect((await call(method, path, { as: 'use' })).status).toBe(403);
      expect((await call(method, path, { as: 'nobody' })).status).toBe(401);
    }
    expect(await fleet.listed()).toHaveLength(4);
    expect(audits()).toEqual([]);
  });

  it('lists everything that runs, whose it is and until when', async () => {
    const answer = await call('GET', '/v1/containers');
    expect(answer.status).toBe(200);
    const { containers } = (await answer.json()) as { containers: { container_id: string }[] };
    const shown = new Map(containers.map((each) => [each.container_id, each]));
    const record = await fleet.recordOf('a');
    expect(shown.get(live ?? '')).toEqual({
      container_id: live,
      role: 'conversation',
      state: 'running',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      owner: { tenant: 'acme', conversation_id: 'a', status: 'idle' },
      expires_at: new Date((record?.lastActiveAt ?? 0) + 1000).toISOString(),
    });
    expect(shown.get(warm ?? '')).toMatchObject({ owner: 'warm', expires_at: expect.any(String) });
    expect(shown.get(starting ?? '')).toMatchObject({ owner: 'starting', expires_at: null });
    expect(shown.get(orphan ?? '')).toMatchObject({ owner: null, expires_at: null });
    expect(shown.size).toBe(4);
  });

  it('shows the output of a container as text, which no browser takes for a page', async () => {
    const agent = new TestAgent(
      () => fleet.backend.endpoint(must(live), 'agent'),
      fleet.secret.agentToken(must(live)),
    );
    await agent.bash('seq 300 > /proc/1/fd/1');
    const answer = await call('GET', `/v1/containers/${live}/logs`);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    expect((await answer.text()).trim().split('\n')).toEqual(
      Array.from({ length: 200 }, (_, n) => `${101 + n}`),
    );
    expect(await (await call('GET', `/v1/containers/${live}/logs?tail=2`)).text()).toBe('299\n300\n');
  });

  it.each(['0', '10001', '1.5', 'x', ''])('refuses a tail of "%s"', async (tail) => {
    expect((await call('GET', `/v1/containers/${live}/logs?tail=${tail}`)).status).toBe(400);
  });

  it.each(['ws-000000000000', 'nginx', '..%2Fetc', 'ws-000000000000%20'])(
    'knows no container %s',
    async (id) => {
      for (const [method, path] of [
        ['GET', `/v1/containers/${id}/logs`],
        ['DELETE', `/v1/containers/${id}`],
      ] as const) {
        const answer = await call(method, path);
        expect(answer.status).toBe(404);
        expect(await answer.json()).toMatchObject({ code: 'CONTAINER_NOT_FOUND' });
      }
    },
  );

  it('kills a container, and says in the log who did', async () => {
    lines.length = 0;
    const answer = await call('DELETE', `/v1/containers/${orphan}`);
    expect(answer.status).toBe(202);
    expect(await answer.json()).toEqual({ container_id: orphan, status: 'stopping' });
    expect(await fleet.listed()).not.toContain(orphan);
    expect(audits()).toEqual([
      expect.objectContaining({
        audit: 'container.kill',
        key: 'admin',
        tenant: 'ops',
        container_id: orphan,
        outcome: 'done',
        request_id: answer.headers.get('x-request-id'),
      }),
    ]);
  });

  it('sweeps when told to, and says in the log who did', async () => {
    lines.length = 0;
    const found = await fleet.container();
    const answer = await call('POST', '/v1/sweep', { body: { release_breaker: true } });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toEqual({
      listed: 4,
      marked: 1,
      adopted: 0,
      destroyed: 0,
      held: 0,
      lost: 0,
      next_look_in_seconds: 60,
    });
    expect(audits()).toEqual([
      expect.objectContaining({ audit: 'sweep', release_breaker: true, outcome: 'done' }),
    ]);
    expect((await call('POST', '/v1/sweep')).status).toBe(200);
    expect((await call('POST', '/v1/sweep', { body: { release: true } })).status).toBe(400);
    await fleet.end(found);
  });
}
