import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey } from '../../../runtime/access/api-key.ts';
import { KeyRing } from '../../../runtime/access/key-ring.ts';
import { parseTenantId } from '../../../runtime/contracts/ids.ts';
import { createApp } from '../../../runtime/http/app.ts';
import { openApiDocument } from '../../../runtime/http/openapi.ts';
import { warmPoolRoutes } from '../../../runtime/http/routes/warm-pool-routes.ts';
import { HttpServer } from '../../../runtime/http/server.ts';
import { Metrics } from '../../../runtime/telemetry/metrics.ts';
import { processBackends } from '../../contract/container-backend/process-backends.ts';
import { must } from '../../support/must.ts';
import { PoolWorld } from './pool-world.ts';
import { sharedMemory } from './shared-states.ts';

const tenant = must(parseTenantId('ops'));
const ring = new KeyRing([
  { name: 'ops-1', tenant, scope: 'admin', sha256: hashApiKey('admin-key') },
  { name: 'app-1', tenant, scope: 'use', sha256: hashApiKey('use-key') },
]);

let world: PoolWorld;
let server: HttpServer;
let url: string;
let lines: Record<string, unknown>[];
beforeEach(async () => {
  world = await PoolWorld.open(await sharedMemory(), processBackends(undefined));
  await serve('info');
});
afterEach(async () => {
  await server.close();
  await world[Symbol.asyncDispose]();
});

async function serve(level: string): Promise<void> {
  lines = [];
  const log = pino(
    { level },
    new Writable({ write: (line, _, next) => next(void lines.push(JSON.parse(line))) }),
  );
  server = new HttpServer(
    createApp({
      routes: await routes(log),
      ring,
      log,
      metrics: new Metrics(async () => 0),
      trustedProxies: [],
    }),
  );
  url = await server.listen('127.0.0.1', 0);
}

async function routes(log: Logger) {
  world.imageReady = false; // no container is made here
  const pool = await world.pool({ sizes: { min: 2, max: 4 }, maxContainers: 20 });
  return warmPoolRoutes({ pool, maxContainers: 20, log });
}

const call = (method: string, body?: unknown, key = 'admin-key') =>
  fetch(`${url}/v1/warm-pool`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'x-request-id': 'r-1' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
const audits = () => lines.filter((line) => 'audit' in line);

describe('GET /v1/warm-pool', () => {
  it('tells the pool as it is', async () => {
    const answer = await call('GET');
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { size: 0, target: 2, starting: 0, min_size: 2, max_size: 4 },
    ]);
    expect(audits()).toEqual([]);
  });

  it('is for admins, as is PUT', async () => {
    expect((await call('GET', undefined, 'use-key')).status).toBe(403);
    expect((await call('PUT', { min_size: 0, max_size: 0 }, 'use-key')).status).toBe(403);
    expect(audits()).toEqual([]);
  });
});

describe('PUT /v1/warm-pool', () => {
  it('sets the sizes, answers the pool as it is then, and leaves a line on who did it', async () => {
    const answer = await call('PUT', { min_size: 3, max_size: 20 });
    const view = { size: 0, target: 3, starting: 0, min_size: 3, max_size: 20 };
    expect([answer.status, await answer.json()]).toEqual([200, view]);
    expect(await (await call('GET')).json()).toEqual(view);
    expect(audits()).toEqual([
      expect.objectContaining({
        audit: 'warm-pool.configure',
        key: 'ops-1',
        tenant: 'ops',
        request_id: 'r-1',
        min_size: 3,
        max_size: 20,
        outcome: 'done',
        time: expect.any(Number),
      }),
    ]);
  });

  it('leaves that line whatever the level of the log', async () => {
    await server.close();
    await serve('error');
    expect((await call('PUT', { min_size: 0, max_size: 0 })).status).toBe(200);
    expect(audits()).toHaveLength(1);
  });

  it.each([
    ['nothing', {}, ['min_size', 'max_size']],
    ['one size', { min_size: 1 }, ['max_size']],
    ['a minimum above the maximum', { min_size: 3, max_size: 2 }, ['min_size']],
    ['more than all containers', { min_size: 1, max_size: 21 }, ['max_size']],
    ['a negative size', { min_size: -1, max_size: 2 }, ['min_size']],
    ['a part of one', { min_size: 1, max_size: 2.5 }, ['max_size']],
    ['a text', { min_size: '1', max_size: 2 }, ['min_size']],
    ['what it does not know', { min_size: 1, max_size: 2, target: 2 }, ['']],
  ])('refuses %s', async (_, body, paths) => {
    const answer = await call('PUT', body);
    const problem = (await answer.json()) as { code: string; errors: { path: string }[] };
    expect([answer.status, problem.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(problem.errors.map(({ path }) => path)).toEqual(paths);
    expect(audits()).toEqual([]);
    expect(await (await call('GET')).json()).toMatchObject({ min_size: 2, max_size: 4 });
  });
});

it('is documented with its sizes', async () => {
  const document = JSON.stringify(openApiDocument(await routes(pino({ level: 'silent' })), '0', undefined));
  expect(document).toContain('"maximum":20');
});
