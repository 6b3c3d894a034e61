import express, { type Express, type Request, type Response } from 'express';
import type { Logger } from 'pino';
import type { ApiKey } from '../access/api-key.ts';
import type { KeyRing } from '../access/key-ring.ts';
import { BerthError } from '../contracts/errors.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { requireAdmin, requireKey } from './authentication.ts';
import { Dashboard } from './dashboard.ts';
import { checked, jsonBody } from './json-body.ts';
import { asBerthError, problemOf, sendProblem } from './problem.ts';
import { hasBody, letPass } from './request-body.ts';
import { requestIdOf } from './request-id.ts';
import type { Route } from './route.ts';

interface Parts {
  routes: Route[];
  ring: KeyRing;
  log: Logger;
  metrics: Metrics;
  trustedProxies: readonly string[];
}

/** What is known of a request so far. */
interface Context {
  requestId: string;
  key?: ApiKey;
  route?: string;
}

/** Stands for the key on public routes, which look at none. The cast: no tenant has this name. */
const NOBODY: ApiKey = { name: 'none', tenant: '' as ApiKey['tenant'], sha256: '', scope: 'use' };

/** The Express application. Checks come in this order: key, route, id, body. */
export function createApp(parts: Parts): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('trust proxy', [...parts.trustedProxies]);
  app.set('query parser', 'simple');
  app.use((request, response, next) => observe(parts, request, response, next));
  const dashboard = new Dashboard();
  app.use((request, response, next) => {
    if (!dashboard.takes(request)) return next();
    contextOf(response).route = '/';
    return dashboard.send(request, response);
  });
  const publicPaths = parts.routes.filter(({ access }) => access === 'public').map(({ path }) => path);
  app.use((request, response, next) => {
    if (!publicPaths.some((path) => leadsTo(path, request.path)))
      contextOf(response).key = requireKey(request, parts.ring);
    next();
  });
  for (const route of parts.routes) {
    app[route.method](expressPath(route.path), (request, response) => serve(parts, route, request, response));
  }
  for (const [path, methods] of methodsByPath(parts.routes)) {
    app.all(expressPath(path), (request) => {
      throw new BerthError(
        'METHOD_NOT_ALLOWED',
        `${path} takes ${methods.join(', ')}, not ${request.method}`,
        {
          allow: methods,
        },
      );
    });
  }
  app.use((request) => {
    throw new BerthError('ROUTE_NOT_FOUND', `there is no route ${request.path}; /docs/api lists them`);
  });
  // Express knows an error handler by its four parameters.
  app.use((error: unknown, request: Request, response: Response, _next: () => void) =>
    fail(parts, error, request, response),
  );
  return app;
}

function observe({ log, metrics }: Parts, request: Request, response: Response, next: () => void): void {
  const started = performance.now();
  const client = request.ip; // a broken connection has none any more
  const requestId = requestIdOf(request);
  const context = contextOf(response);
  context.requestId = requestId;
  response.setHeader('X-Request-Id', requestId);
  response.once('close', () => {
    const seconds = (performance.now() - started) / 1000;
    const { key, route = 'none' } = context;
    metrics.requests.inc({ status: response.statusCode });
    const isSocket = response.statusCode === 101;
    if (!isSocket) metrics.requestSeconds.observe({ method: request.method, route }, seconds);
    const level = route === '/health' || route === '/ready' ? 'debug' : 'info';
    if (!log.isLevelEnabled(level)) return;
    log[level](
      {
        request_id: requestId,
        method: request.method,
        path: request.path,
        status: response.statusCode,
        ms: Math.round(seconds * 1000),
        client,
        ...(key === undefined ? {} : { tenant: key.tenant, key: key.name }),
      },
      response.writableFinished || isSocket ? 'request' : 'request broken off',
    );
  });
  next();
}

async function serve(parts: Parts, route: Route, request: Request, response: Response): Promise<void> {
  const context = contextOf(response);
  context.route = route.path;
  const key = context.key ?? NOBODY;
  if (route.access === 'admin') requireAdmin(key);
  const params = checked(route.params, request.params, 'the address is not valid');
  const query = checked(route.query, request.query, 'the query is not valid');
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new Error('the client has gone'));
  });
  using _use = context.key === undefined ? undefined : parts.ring.use(context.key, () => response.destroy());
  const schema = route.body;
  const body = schema === undefined || schema === 'stream' ? undefined : await jsonBody(request, schema);
  await route.handle({ key, params, query, body, request, response, signal: gone.signal });
}

function fail({ log }: Parts, error: unknown, request: Request, response: Response): void {
  if (response.destroyed) return; // the client has gone: there is nobody to tell
  const problem = asBerthError(error);
  const { requestId } = contextOf(response);
  if (problem.code === 'INTERNAL') log.error({ err: error, request_id: requestId }, 'an unexpected error');
  if (problem.code === 'BACKEND_UNAVAILABLE')
    log.warn({ detail: problem.detail, request_id: requestId }, 'the engine is away');
  if (!response.headersSent) {
    if (!request.complete && hasBody(request)) letPass(request);
    sendProblem(response, problem, requestId);
    return;
  }
  if (response.getHeader('Content-Type')?.toString().startsWith('text/event-stream') === true) {
    const { code, detail } = problemOf(problem, requestId);
    response.end(
      `event: error\ndata: ${JSON.stringify({ code, message: detail, request_id: requestId })}\n\n`,
    );
    return;
  }
  response.destroy(); // bytes cut short must not look whole
}

function contextOf(response: Response): Context {
  return response.locals as Context; // `observe` fills it first
}

function methodsByPath(routes: Route[]): Map<string, string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) {
    const known = methods.get(path) ?? [];
    methods.set(path, [...known, method.toUpperCase(), ...(method === 'get' ? ['HEAD'] : [])]);
  }
  return methods;
}

/** Of public routes, which have no parameter but a `{path}` at the end. */
function leadsTo(path: string, requested: string): boolean {
  return path.endsWith('/{path}')
    ? requested.startsWith(path.slice(0, -'{path}'.length))
    : path === requested;
}

/** `/v1/conversations/{id}/files/{path}` → `/v1/conversations/:id/files/*path` */
function expressPath(path: string): string {
  return path.replace('{path}', '*path').replace(/\{(\w+)\}/g, ':$1');
}
