import { request } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hashApiKey } from '../../../runtime/access/api-key.ts';
import { must } from '../../support/must.ts';
import { RuntimeProcess } from '../../support/runtime-process.ts';
import { describeWith, docker, workspaceImage } from '../../support/services/provided.ts';

const USE = { authorization: 'Bearer use-key' };
const key = (secret: string, tenant: string, scope: string) => ({
  name: `${tenant}-1`,
  tenant,
  scope,
  sha256: hashApiKey(secret),
});

/** Those that operators' dashboards rely on; the proxy's come with the proxy. */
const METRICS = [
  'workspace_active_containers',
  'workspace_warm_pool_size',
  'workspace_warm_pool_target',
  'workspace_container_startup_seconds',
  'workspace_warm_pool_acquire_seconds',
  'workspace_acquire_seconds',
  'workspace_requests_total',
  'workspace_container_crashes_total',
  'workspace_s3_sync_errors_total',
  'workspace_warm_pool_exhausted_total',
  'workspace_gc_cycles_total',
  'workspace_executions_total',
  'workspace_unsaved_total',
  'workspace_sweep_breaker_open',
];

describeWith(['docker', 'workspace-base-image'], 'the API, before any container', () => {
  let runtime: RuntimeProcess;

  beforeAll(async () => {
    runtime = await RuntimeProcess.start({
      env: {
        CONTAINER_MANAGER_TYPE: 'docker',
        DOCKER_HOST: docker().host,
        WORKSPACE_IMAGE: workspaceImage(),
        BERTH_API_KEYS: JSON.stringify([key('use-key', 'acme', 'use'), key('admin-key', 'ops', 'admin')]),
      },
    });
  });
  afterAll(() => runtime[Symbol.asyncDispose]());

  const get = (path: string, headers: Record<string, string> = USE) =>
    fetch(`${runtime.url}${path}`, { headers });
  const exec = (body: string, headers: Record<string, string> = {}) =>
    fetch(`${runtime.url}/v1/conversations/c1/exec`, {
      method: 'POST',
      body,
      headers: { ...USE, 'content-type': 'application/json', ...headers },
    });
  // biome-ignore lint/suspicious/noExplicitAny: problems are looked at field by field
  const problem = async (answer: Response): Promise<any> => {
    expect(answer.headers.get('content-type')).toBe('application/problem+json');
    const body = (await answer.json()) as Record<string, unknown>;
    expect(body).toMatchObject({ status: answer.status, request_id: answer.headers.get('x-request-id') });
    expect(Object.keys(body)).toEqual(expect.arrayContaining(['type', 'title', 'detail', 'code']));
    return body;
  };

  it('is alive and ready without a key, and tells no more', async () => {
    expect(await (await get('/health', {})).json()).toMatchObject({ status: 'ok' });
    expect(await (await get('/ready', {})).json()).toEqual({ status: 'ready' });
    expect(await (await get('/ready')).json()).toEqual({ status: 'ready' });
  });

  it('tells an admin of each dependency', async () => {
    const body = await (await get('/ready', { authorization: 'Bearer admin-key' })).json();
    expect(body).toMatchObject({
      status: 'ready',
      dependencies: ['backend', 'store', 'database', 'objects', 'image'].map((name) => ({ name })),
    });
  });

  it.each([
    ['no key', {}],
    ['a wrong key', { authorization: 'Bearer nope' }],
    ['a hash instead of the key', { authorization: `Bearer ${hashApiKey('use-key')}` }],
    ['another scheme', { authorization: 'Basic use-key' }],
    ['an empty key', { authorization: 'Bearer ' }],
  ])('refuses %s with 401, before it looks at the route', async (_title, headers) => {
    for (const path of ['/v1/conversations', '/v1/nothing', '/metrics']) {
      const answer = await get(path, headers as Record<string, string>);
      expect(answer.status).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe('Bearer');
      expect((await problem(answer)).code).toBe('UNAUTHENTICATED');
    }
  });

  it('refuses a use key where admin is wanted', async () => {
    expect((await problem(await get('/metrics'))).code).toBe('FORBIDDEN');
    const metrics = await get('/metrics', { authorization: 'Bearer admin-key' });
    expect(metrics.status).toBe(200);
    const text = await metrics.text();
    for (const name of METRICS) expect(text).toMatch(new RegExp(`^# TYPE ${name} `, 'm'));
  });

  it('answers an unknown route with 404 and a wrong method with 405 and Allow', async () => {
    expect((await problem(await get('/v1/nothing'))).code).toBe('ROUTE_NOT_FOUND');
    expect((await problem(await get('/dashboard/none.js', {}))).code).toBe('ROUTE_NOT_FOUND');
    const answer = await fetch(`${runtime.url}/v1/conversations/c1`, { method: 'PATCH', headers: USE });
    expect(answer.headers.get('allow')).toBe('GET, HEAD, DELETE');
    expect((await problem(answer)).code).toBe('METHOD_NOT_ALLOWED');
  });

  it('has the dashboard for everybody, under a strict policy, and kept by browsers until it changes', async () => {
    const answer = await get('/', {});
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policy = `${answer.headers.get('content-security-policy')}`;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'/);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
    const again = await get('/', { 'if-none-match': must(answer.headers.get('etag') ?? undefined) });
    expect(again.status).toBe(304);
    const [script = ''] = /\/dashboard\/[\w-]+\/main\.js/.exec(await answer.text()) ?? [];
    const main = await get(script, { 'accept-encoding': 'gzip, br' });
    expect(main.headers.get('content-encoding')).toBe('br');
    expect(main.headers.get('cache-control')).toMatch(/immutable/);
    expect(main.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(await main.text()).toContain('import');
    // A page that another version sent finds its files, too, but keeps them not.
    const other = await get(script.replace(/dashboard\/[^/]+/, 'dashboard/another'), {});
    expect(other.headers.get('cache-control')).toBe('no-cache');
    expect((await get('/dashboard/x/..%2f..%2fpage-files.ts', {})).status).toBe(404);
    const posted = await fetch(`${runtime.url}/`, { method: 'POST', headers: USE });
    expect((await problem(posted)).code).toBe('ROUTE_NOT_FOUND');
  });

  it('shows each tenant its own at /v1/overview, as JSON and as a stream', async () => {
    const own = await (await get('/v1/overview')).json();
    expect(own).toMatchObject({ tenant: 'acme', scope: 'use', pool: null, dependencies: null });
    const stream = await get('/v1/overview', {
      authorization: 'Bearer admin-key',
      accept: 'text/event-stream',
    });
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    const { value } = await must(stream.body ?? undefined)
      .pipeThrough(new TextDecoderStream())
      .getReader()
      .read();
    const [, data = ''] = /^event: overview\ndata: (.*)\n/.exec(`${value}`) ?? [];
    expect(JSON.parse(data)).toMatchObject({ tenant: 'ops', scope: 'admin', pool: { max_size: 0 } });
  });

  it.each(['..%2f', '.hidden', '-x', 'a%20b', 'a%00', 'ü', 'a'.repeat(129), 'a:b'])(
    'refuses the id %s before it looks at the body',
    async (id) => {
      const answer = await fetch(`${runtime.url}/v1/conversations/${id}/exec`, {
        method: 'POST',
        headers: USE,
        body: '{',
      });
      expect((await problem(answer)).code).toBe('INVALID_ID');
    },
  );

  it('does not let .. lead from one route to another', async () => {
    const answer = await rawGet(`${runtime.url}`, '/v1/conversations/../../metrics');
    expect(answer).toBe(404);
    expect(await rawGet(runtime.url, '/v1/conversations/%2e%2e')).toBe(400);
  });

  it('answers what is no HTTP in the same form', async () => {
    const { port } = new URL(runtime.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('NONSENSE\r\n\r\n');
    const text = (await Array.fromAsync(socket)).join('');
    expect(text).toMatch(/^HTTP\/1.1 400 Bad Request\r\nContent-Type: application\/problem\+json/);
    expect(text).toContain('"code":"INVALID_REQUEST"');
  });

  it('refuses a broken escape in the address', async () => {
    expect((await get('/v1/conversations/%ff')).status).toBe(400);
  });

  it.each([
    ['a body that is no JSON', '{"cmd": [', {}, 400, 'INVALID_REQUEST'],
    ['an array', '[]', {}, 400, 'INVALID_REQUEST'],
    ['a number', '7', {}, 400, 'INVALID_REQUEST'],
    ['no body', '', {}, 400, 'INVALID_REQUEST'],
    ['another type', '{"cmd": ["true"]}', { 'content-type': 'text/plain' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['compressed JSON', '{"cmd": ["true"]}', { 'content-encoding': 'gzip' }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
    ['an unknown field', '{"cmd": ["true"], "shell": true}', {}, 400, 'INVALID_REQUEST'],
    ['a NUL in an argument', '{"cmd": ["a\\u0000b"]}', {}, 400, 'INVALID_REQUEST'],
    ['an empty command', '{"cmd": []}', {}, 400, 'INVALID_REQUEST'],
    ['a timeout past the maximum', '{"cmd": ["true"], "timeout_seconds": 601}', {}, 400, 'INVALID_REQUEST'],
    ['a negative timeout', '{"cmd": ["true"], "timeout_seconds": -1}', {}, 400, 'INVALID_REQUEST'],
    ['a bad variable name', '{"cmd": ["true"], "env": {"A=B": "x"}}', {}, 400, 'INVALID_REQUEST'],
  ])('refuses %s', async (_title, body, headers, status, code) => {
    const answer = await exec(body, headers);
    expect(answer.status).toBe(status);
    expect((await problem(answer)).code).toBe(code);
  });

  it('names every field that is wrong', async () => {
    const { errors } = await problem(await exec('{"cmd": "ls", "timeout_seconds": "long", "env": 3}'));
    expect(errors.map((error: { path: string }) => error.path).sort()).toEqual([
      'cmd',
      'env',
      'timeout_seconds',
    ]);
  });

  it('refuses a query it does not know, rather than ignore it', async () => {
    const answer = await fetch(`${runtime.url}/v1/conversations/c1?surprise=true`, {
      method: 'DELETE',
      headers: USE,
    });
    expect((await problem(answer)).code).toBe('INVALID_REQUEST');
  });

  it('refuses 2 MiB of JSON', async () => {
    expect((await problem(await exec(JSON.stringify({ cmd: ['x'.repeat(2 ** 21)] })))).code).toBe(
      'BODY_TOO_LARGE',
    );
  });

  it('refuses a gigabyte streamed at a JSON route early, with flat memory', async () => {
    const rss = () => Number(/resident_memory_bytes (\d+)/.exec(metricsText)?.[1]);
    let metricsText = await (await get('/metrics', { authorization: 'Bearer admin-key' })).text();
    const before = rss();
    const { status, sent } = await streamAt(`${runtime.url}/v1/conversations/c1/exec`, 2 ** 30);
    expect(status).toBe(413);
    expect(sent).toBeLessThan(2 ** 30);
    metricsText = await (await get('/metrics', { authorization: 'Bearer admin-key' })).text();
    expect(rss() - before).toBeLessThan(64 * 2 ** 20);
  });

  it('describes itself', async () => {
    const document = await (await get('/openapi.json', {})).json();
    expect(document).toMatchObject({ openapi: '3.1.0', info: { title: 'Berth' } });
    const paths = Object.keys((document as { paths: object }).paths);
    expect(paths).toEqual(
      expect.arrayContaining(['/v1/conversations/{id}/exec', '/v1/conversations/{id}/files/{path}', '/docs']),
    );
    const text = JSON.stringify(document);
    const refs = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, ref]) => must(ref).split('/').slice(1));
    expect(refs.length).toBeGreaterThan(10);
    for (const ref of refs) {
      const found = ref.reduce<unknown>(
        (at, part) => (at as Record<string, unknown> | undefined)?.[part],
        document,
      );
      expect(found, ref.join('/')).toBeDefined();
    }
    const page = await (await get('/docs/api', {})).text();
    for (const path of paths) expect(page).toContain(path);
  });

  it('never logs a key or a body', async () => {
    await exec('{"cmd": ["swordfish"], "oops": 1}');
    expect(runtime.output).not.toMatch(/use-key|admin-key|swordfish/);
  });
});

/** Sends the path as it stands; `fetch` would resolve its dots. */
function rawGet(url: string, path: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers: USE }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });
}

/** Sends until the answer comes; tells how much went out. */
function streamAt(url: string, bytes: number): Promise<{ status: number; sent: number }> {
  const chunk = Buffer.alloc(2 ** 16, ' ');
  return new Promise((resolve, reject) => {
    let sent = 0;
    const outgoing = request(url, {
      method: 'POST',
      headers: { ...USE, 'content-type': 'application/json' },
    });
    outgoing.on('response', (answer) => {
      resolve({ status: answer.statusCode ?? 0, sent });
      outgoing.destroy();
    });
    outgoing.on('error', reject);
    const more = () => {
      while (sent < bytes && !outgoing.destroyed) {
        sent += chunk.length;
        if (!outgoing.write(chunk)) return;
      }
      outgoing.end();
    };
    outgoing.on('drain', more);
    more();
  });
}
