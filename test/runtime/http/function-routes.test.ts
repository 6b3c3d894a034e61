import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey } from '../../../runtime/access/api-key.ts';
import { KeyRing } from '../../../runtime/access/key-ring.ts';
import { BerthError } from '../../../runtime/contracts/errors.ts';
import type { FunctionRegistry } from '../../../runtime/functions/definitions/function-registry.ts';
import type { FunctionSettings } from '../../../runtime/functions/definitions/function-settings.ts';
import { createApp } from '../../../runtime/http/app.ts';
import { openApiDocument } from '../../../runtime/http/openapi.ts';
import { functionRoutes } from '../../../runtime/http/routes/function-routes.ts';
import { HttpServer } from '../../../runtime/http/server.ts';
import { Metrics } from '../../../runtime/telemetry/metrics.ts';
import { VERSION } from '../../../runtime/version.ts';
import { type DatabaseUnderTest, sqliteUnderTest } from '../../contract/database/database-under-test.ts';
import {
  functionKey,
  registryOf,
  settingsOf,
  stranger,
  tenant,
} from '../functions/definitions/function-parts.ts';

const ring = new KeyRing([
  { name: 'acme-1', tenant, scope: 'use', sha256: hashApiKey('our-key') },
  { name: 'other-1', tenant: stranger, scope: 'admin', sha256: hashApiKey('their-key') },
]);
const node = { image: 'function-node' };

describe('the API of functions', () => {
  let under: DatabaseUnderTest;
  let registry: FunctionRegistry;
  let server: HttpServer;
  let url: string;
  let logged: string;

  beforeEach(async () => {
    under = await sqliteUnderTest();
    await serve(settingsOf());
  });
  afterEach(async () => {
    await server.close();
    await under[Symbol.asyncDispose]();
  });

  async function serve(settings: FunctionSettings, refuse?: () => never): Promise<void> {
    await server?.close();
    logged = '';
    const log = pino(
      new Writable({
        write(line, _, next) {
          logged += line;
          next();
        },
      }),
    );
    registry = registryOf(under.database, { settings });
    const routes = functionRoutes({ registry: refuse ?? (() => registry), settings });
    const metrics = new Metrics(async () => 0);
    server = new HttpServer(createApp({ routes, ring, log, metrics, trustedProxies: [] }));
    url = await server.listen('127.0.0.1', 0);
  }

  async function call(method: string, path: string, body?: unknown, key = 'our-key') {
    const answer = await fetch(`${url}/v1/functions${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers are looked at field by field
    return { status: answer.status, body: (await answer.json()) as any };
  }
  const put = (body: unknown, name = 'hello', key?: string) => call('PUT', `/${name}`, body, key);
  const wrong = async (body: unknown): Promise<string[]> => {
    const answer = await put(body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
    return answer.body.errors.map(({ path }: { path: string }) => path).toSorted();
  };

  describe('PUT', () => {
    it('makes one, shows it without the values of its environment, and changes it', async () => {
      const made = await put({ ...node, env: { TOKEN: 'hunter2', A: 'secret-b' }, timeout_seconds: 5 });
      const at = new Date(under.clock.now()).toISOString();
      const shown = {
        name: 'hello',
        image: `function-node:${VERSION}`,
        task_definition: null,
        env_names: ['A', 'TOKEN'],
        port: 8080,
        path: '/',
        timeout_seconds: 5,
        resources: { cpus: 1, memory_mb: 512, pids: 256 },
        scaling: { min_capacity: 0, max_capacity: 1, idle_timeout: 300, acquire_timeout: 30, queue: 100 },
        revision: expect.stringMatching(/^[0-9a-f]{16}$/),
        created_at: at,
        updated_at: at,
      };
      expect(made).toEqual({ status: 201, body: shown });
      expect(await call('GET', '/hello')).toEqual({ status: 200, body: made.body });
      const changed = await put({ ...node, port: 9000 });
      expect(changed).toMatchObject({
        status: 200,
        body: { port: 9000, env_names: [], timeout_seconds: 60 },
      });
      expect(changed.body.revision).not.toBe(made.body.revision);
      const all = JSON.stringify([
        made,
        changed,
        await call('GET', ''),
        await put({ image: 'evil', env: { A: 'secret-b' } }),
      ]);
      expect(all + logged).not.toMatch(/hunter2|secret-b/);
    });

    it('takes all that may be said', async () => {
      const said = {
        port: 1,
        path: '/a/b?c=d&e=%20~',
        timeout_seconds: 900,
        resources: { cpus: 0.05, memory_mb: 4096, pids: 16 },
        scaling: { min_capacity: 50, max_capacity: 50, idle_timeout: 1.5, acquire_timeout: 0, queue: 10_000 },
      };
      expect(await put({ ...node, ...said })).toMatchObject({ status: 201, body: said });
      expect((await registry.find(functionKey()))?.scaling).toEqual({
        minCapacity: 50,
        maxCapacity: 50,
        idleTimeoutSeconds: 1.5,
        acquireTimeoutSeconds: 0,
        queue: 10_000,
      });
    });

    it('tells everything that is wrong at once', async () => {
      const body = {
        port: 0,
        path: 'relative',
        timeout_seconds: 901,
        env: { PORT: '1', 'A-B': 'x', OK: 'x' },
        resources: { cpus: 5, memory_mb: 1, disk: 1 },
        scaling: { min_capacity: 3, max_capacity: 2, queue: -1 },
        surprise: true,
      };
      expect(await wrong(body)).toEqual([
        '',
        'env.A-B',
        'env.PORT',
        'image',
        'path',
        'port',
        'resources',
        'resources.cpus',
        'resources.memory_mb',
        'scaling.min_capacity',
        'scaling.queue',
        'timeout_seconds',
      ]);
      expect(await wrong({ ...body, port: 'x', env: 3 })).toContain('image');
    });

    it.each([
      ['neither image nor task definition', {}, 'image'],
      ['both', { ...node, task_definition: 'node' }, 'image'],
      ['an image that is none', { image: 'No Image' }, 'image'],
      ['an empty image', { image: '' }, 'image'],
      ['a port past the last', { ...node, port: 65_536 }, 'port'],
      ['half a port', { ...node, port: 80.5 }, 'port'],
      ['an empty path', { ...node, path: '' }, 'path'],
      ['a path with a line break', { ...node, path: '/a\r\nX-Evil: 1' }, 'path'],
      ['a path with a blank', { ...node, path: '/a b' }, 'path'],
      ['a path with a tab', { ...node, path: '/a\tb' }, 'path'],
      ['a path beyond ASCII', { ...node, path: '/ü' }, 'path'],
      ['a path with a fragment', { ...node, path: '/a#b' }, 'path'],
      ['a path with a line break last', { ...node, path: '/a\n' }, 'path'],
      ['a path over 1 KiB', { ...node, path: `/${'a'.repeat(1024)}` }, 'path'],
      ['no time at all', { ...node, timeout_seconds: 0 }, 'timeout_seconds'],
      ['a NUL in a variable', { ...node, env: { A: '\0' } }, 'env.A'],
      ['a variable that is no text', { ...node, env: { A: 1 } }, 'env.A'],
      ['a reserved variable', { ...node, env: { https_proxy: 'x' } }, 'env.https_proxy'],
      ['too large an environment', { ...node, env: { A: 'x'.repeat(65_536) } }, 'env'],
      ['more workers than there may be', { ...node, scaling: { max_capacity: 51 } }, 'scaling.max_capacity'],
      ['no worker at most', { ...node, scaling: { max_capacity: 0 } }, 'scaling.max_capacity'],
      ['more memory than allowed', { ...node, resources: { memory_mb: 4097 } }, 'resources.memory_mb'],
      ['nothing for scaling', { ...node, scaling: null }, 'scaling'],
      ['a list', [], ''],
      ['no JSON', '{"image":', ''],
    ])('refuses %s', async (_title, body, path) => {
      expect(await wrong(body)).toContain(path);
      expect((await call('GET', '')).body.functions).toEqual([]);
    });

    it('refuses more than 1 MiB', async () => {
      const answer = await put({ ...node, env: { A: 'x'.repeat(1024 * 1024) } });
      expect(answer).toMatchObject({ status: 413, body: { code: 'BODY_TOO_LARGE' } });
    });

    it('takes no prototype for a variable', async () => {
      const { status, body } = await put(
        '{"image": "function-node", "env": {"__proto__": "x", "constructor": "y"}}',
      );
      expect([status, body.env_names]).toEqual([201, ['constructor']]);
    });

    it('refuses an image that is not allowed, and says which are', async () => {
      expect(await put({ image: 'evil' })).toMatchObject({
        status: 403,
        body: {
          code: 'FORBIDDEN',
          detail: expect.stringMatching(/evil:latest .*function-python.*ALLOWED_IMAGES/),
        },
      });
    });

    it('refuses a task definition but on ECS, and an image there', async () => {
      expect(await put({ task_definition: 'node' })).toMatchObject({
        status: 501,
        body: { code: 'NOT_SUPPORTED', detail: expect.stringContaining('for ecs') },
      });
      await serve(settingsOf({}, 'ecs', ['node']));
      expect(await put(node)).toMatchObject({ status: 501, body: { code: 'NOT_SUPPORTED' } });
      expect(await put({ task_definition: 'evil' })).toMatchObject({
        status: 403,
        body: { code: 'FORBIDDEN' },
      });
      expect(await put({ task_definition: 'node' })).toMatchObject({
        status: 201,
        body: { image: null, task_definition: 'node' },
      });
    });

    it('refuses one more than a tenant may have', async () => {
      const { body } = await put(node);
      const [row] = await under.database.functions.all({ limit: 1 });
      if (row === undefined) throw new Error('it was just made');
      for (let at = 1; at < 1000; at += 1) {
        const name = functionKey(`f-${at}`).name;
        await under.database.functions.put({ ...row, name }, 1000);
      }
      expect(await put(node, 'more')).toMatchObject({
        status: 429,
        body: { code: 'QUOTA_EXCEEDED', limit: 1000, used: 1000 },
      });
      expect(await put(node)).toMatchObject({ status: 200, body: { revision: body.revision } });
    });
  });

  it.each([
    ...['Hello', '-a', 'a-', 'a_b', 'a.b', '%2e%2e%2e', 'a%2fb', 'a%00', 'a%0a', '%20', 'ü', 'a:b'],
    'a'.repeat(41),
  ])('has no function %s, whatever is asked of it', async (name) => {
    for (const [method, body] of [
      ['PUT', '{'],
      ['GET', undefined],
      ['DELETE', undefined],
    ] as const) {
      expect(await call(method, `/${name}`, body)).toMatchObject({
        status: 400,
        body: { code: 'INVALID_ID' },
      });
    }
    const list = await call('GET', `?cursor=${name}`);
    expect(list).toMatchObject({ status: 400, body: { code: 'INVALID_ID' } });
  });

  it('shows nothing of another tenant’s, and leaves it alone', async () => {
    await put(node);
    const missing = { status: 404, body: { code: 'FUNCTION_NOT_FOUND' } };
    expect(await call('GET', '/hello', undefined, 'their-key')).toMatchObject(missing);
    expect(await call('DELETE', '/hello', undefined, 'their-key')).toMatchObject(missing);
    expect((await call('GET', '', undefined, 'their-key')).body.functions).toEqual([]);
    expect((await put({ ...node, port: 1 }, 'hello', 'their-key')).status).toBe(201);
    expect((await call('GET', '/hello')).body.port).toBe(8080);
    expect(await call('GET', '/hello', undefined, 'no-key')).toMatchObject({ status: 401 });
  });

  it('lists them in pages', async () => {
    for (const name of ['c', 'a', 'b']) await put(node, name);
    const first = (await call('GET', '?limit=2')).body;
    expect(first.functions.map(({ name }: { name: string }) => name)).toEqual(['a', 'b']);
    expect(first.next_cursor).toBe('b');
    const second = (await call('GET', `?limit=2&cursor=${first.next_cursor}`)).body;
    expect(second).toMatchObject({ functions: [{ name: 'c' }], next_cursor: null });
    for (const query of ['?limit=0', '?limit=1001', '?limit=x', '?surprise=1'])
      expect(await call('GET', query)).toMatchObject({ status: 400, body: { code: 'INVALID_REQUEST' } });
  });

  it('deletes one, once', async () => {
    await put(node);
    expect(await call('DELETE', '/hello')).toEqual({ status: 202, body: { name: 'hello' } });
    const missing = { status: 404, body: { code: 'FUNCTION_NOT_FOUND' } };
    expect(await call('DELETE', '/hello')).toMatchObject(missing);
    expect(await call('GET', '/hello')).toMatchObject(missing);
    expect((await put(node)).status).toBe(201);
  });

  it('says so where there are no functions', async () => {
    await serve(settingsOf(), () => {
      throw new BerthError('NOT_SUPPORTED', 'there are no functions here');
    });
    for (const answer of [await put(node), await call('GET', ''), await call('DELETE', '/hello')])
      expect(answer).toMatchObject({ status: 501, body: { code: 'NOT_SUPPORTED' } });
  });

  it('is documented with the defaults and limits of this service', async () => {
    const settings = settingsOf({ MAX_FUNCTION_WORKERS: '7', FUNCTION_CPUS: '0.5' });
    const document = openApiDocument(functionRoutes({ registry: () => registry, settings }), '1', undefined);
    expect(Object.keys(document.paths as object)).toEqual(['/v1/functions/{name}', '/v1/functions']);
    expect(document).toMatchObject({
      components: {
        schemas: {
          FunctionRequest: {
            additionalProperties: false,
            properties: {
              port: { default: 8080, minimum: 1, maximum: 65_535 },
              resources: { properties: { cpus: { default: 0.5, maximum: 4 } } },
              scaling: { properties: { max_capacity: { default: 1, maximum: 7 } } },
            },
          },
          Function: { properties: { env_names: { type: 'array' } } },
          FunctionList: {},
        },
      },
    });
  });
});
