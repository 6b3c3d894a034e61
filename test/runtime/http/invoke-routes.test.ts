import { once } from 'node:events';
import { type IncomingMessage, request as openRequest, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { hashApiKey } from '../../../runtime/access/api-key.ts';
import { KeyRing } from '../../../runtime/access/key-ring.ts';
import { IDLE_PATH } from '../../../runtime/functions/pool/worker-probe.ts';
import { createApp } from '../../../runtime/http/app.ts';
import { invokeRoutes } from '../../../runtime/http/routes/invoke-routes.ts';
import { HttpServer } from '../../../runtime/http/server.ts';
import { Metrics } from '../../../runtime/telemetry/metrics.ts';
import { CallParts } from '../functions/calls/call-parts.ts';
import { tenant } from '../functions/definitions/function-parts.ts';

const AUTHORIZATION = 'Bearer our-key';
const key = { name: 'acme-1', tenant, scope: 'use', sha256: hashApiKey('our-key') } as const;

describe('the call of a function over HTTP', () => {
  let parts: CallParts;
  let ring: KeyRing;
  let server: HttpServer;
  let url: URL;
  /** What the worker does with a call. */
  let program: (request: IncomingMessage, response: ServerResponse) => void;

  beforeEach(async () => {
    parts = new CallParts(() => (request, response) => {
      if (request.url === IDLE_PATH) return void response.end();
      program(request, response);
    });
    ring = new KeyRing([key]);
    const routes = invokeRoutes(() => parts.invocations);
    const [log, metrics] = [pino({ level: 'silent' }), new Metrics(async () => 0)];
    server = new HttpServer(createApp({ routes, ring, log, metrics, trustedProxies: [] }));
    url = new URL(`${await server.listen('127.0.0.1', 0)}/v1/functions/hello/invoke`);
  });
  afterEach(async () => {
    await server.close();
    await parts[Symbol.asyncDispose]();
  });

  function open(headers: Record<string, string> = {}) {
    const options = { method: 'POST', headers: { authorization: AUTHORIZATION, ...headers }, agent: false };
    return openRequest(url, options);
  }
  async function call(headers: Record<string, string> = {}, body = '') {
    const request = open(headers).end(body);
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
  }

  it('gives the worker what its caller says, but for what is ours or the connection’s', async () => {
    let seen: IncomingMessage | undefined;
    program = (request, response) => {
      seen = request;
      request.pipe(response);
    };
    const answer = await call(
      {
        ...{ cookie: 'secret=1', 'content-type': 'text/x', 'x-custom': 'a', 'x-berth-worker': 'forged' },
        ...{ connection: 'close, x-hop', 'x-hop': '1', te: 'trailers', 'keep-alive': 'timeout=5' },
        ...{ 'proxy-authorization': 'Basic x', expect: '100-continue' },
      },
      'body',
    );
    expect(answer).toMatchObject({ status: 200, body: 'body' });
    expect(seen?.method).toBe('POST');
    expect(seen?.headers).toEqual({
      ...{ host: 'function', 'content-type': 'text/x', 'x-custom': 'a' },
      ...{ 'transfer-encoding': 'chunked', connection: 'keep-alive' },
    });
  });

  it('gives its caller what the worker says, but for what would reach further', async () => {
    program = (_, response) => {
      response.writeHead(201, 'Fine', {
        ...{ 'content-type': 'text/x', 'x-custom': 'a', 'set-cookie': 'a=b', connection: 'x-hop' },
        ...{ 'x-hop': '1', 'x-berth-worker': 'forged', 'strict-transport-security': 'max-age=1' },
        ...{ 'content-security-policy': 'none', 'clear-site-data': '*', 'x-request-id': 'forged' },
        ...{ 'alt-svc': 'h3', 'service-worker-allowed': '/', 'proxy-authenticate': 'Basic' },
      });
      response.end('body');
    };
    const { status, headers, body } = await call({ 'x-request-id': 'mine' });
    const { date: _, connection: __, 'transfer-encoding': ___, ...passed } = headers;
    expect({ status, body }).toEqual({ status: 201, body: 'body' });
    expect(passed).toEqual({
      ...{ 'content-type': 'text/x', 'x-custom': 'a', 'x-request-id': 'mine' },
      ...{ 'x-berth-worker': parts.backend.created[0], 'x-berth-cold-start': 'true' },
      ...{ 'x-content-type-options': 'nosniff', 'content-security-policy': 'sandbox' },
    });
  });

  it('tells that a worker’s answer is none', async () => {
    program = ({ socket }) => socket.end('HTTP/1.1 042 Strange\r\nContent-Length: 0\r\n\r\n');
    const { status, body } = await call();
    expect({ status, code: JSON.parse(body).code }).toEqual({ status: 502, code: 'WORKER_FAILED' });
  });

  it('opens a stream before its first byte, and cuts what breaks off', async () => {
    let worker: ServerResponse | undefined;
    program = (_, response) => {
      worker = response;
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    };
    const [answer] = (await once(open().end(), 'response')) as [IncomingMessage];
    expect(answer.headers['content-type']).toBe('text/event-stream');
    worker?.write('data: 1\n\n');
    expect(String((await once(answer, 'data'))[0])).toBe('data: 1\n\n');
    worker?.destroy();
    await expect(text(answer)).rejects.toThrow();
  });

  it('answers before the body is whole, and lets the rest of it pass', async () => {
    program = (_, response) => void response.writeHead(413).end('too much');
    const request = open({ 'content-length': '1000000' });
    request.on('error', () => {});
    request.write('some');
    const [answer] = (await once(request, 'response')) as [IncomingMessage];
    expect({ status: answer.statusCode, body: await text(answer) }).toEqual({
      status: 413,
      body: 'too much',
    });
    await expect.poll(() => parts.states()).toEqual(['idle']);
    request.destroy();
  });

  it('ends with its key', async () => {
    const begun = Promise.withResolvers<void>();
    const broken = Promise.withResolvers<void>();
    program = (request) => {
      begun.resolve();
      request.socket.once('close', () => broken.resolve());
    };
    const cut = once(open().end(), 'response').catch((error: NodeJS.ErrnoException) => error.code);
    await begun.promise;
    ring.replace([]);
    expect(await cut).toBe('ECONNRESET');
    await broken.promise;
    expect(parts.outcomes).toEqual(['cancelled']);
  });

  it('is broken off with the connection of its caller, also between head and body', async () => {
    const read = Promise.withResolvers<string>();
    program = (request) => void text(request).then(read.resolve, () => read.resolve('broken off'));
    const socket = connect(Number(url.port), url.hostname);
    socket.write(
      `POST ${url.pathname} HTTP/1.1\r\nHost: x\r\nAuthorization: ${AUTHORIZATION}\r\nContent-Length: 10\r\n\r\nhalf`,
    );
    await expect.poll(() => parts.states()).toEqual(['busy']);
    socket.destroy();
    expect(await read.promise).toBe('broken off');
    await expect.poll(() => parts.states()).toEqual(['idle']);
  });
});
