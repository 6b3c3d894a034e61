import {
  Agent,
  type ClientRequest,
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { connect, isIP, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import { connect as secureConnect } from 'node:tls';
import { MOST_HEAD_BYTES } from '../http1/head-limits.ts';
import { answerDenial, denialOf, writeDenial } from './proxy/answers.ts';
import { requestHeaders, responseHeaders } from './proxy/forwarded-headers.ts';
import { DEFAULT_LIMITS } from './proxy/limits.ts';
import { type Framing, readFraming } from './proxy/request-framing.ts';
import type { OnwardProxy } from './settings.ts';
import { Refusal } from './verdict/refusal.ts';

const UNREACHABLE = { status: 502, message: 'The egress proxy of this installation does not answer.' };
const UNKNOWN = { status: 502, message: 'The egress proxy of this installation does not know this sandbox.' };

/** Passes every request and tunnel on to another proxy with the sandbox's credential, and has no rules of its own. */
export function createForwardingServer(onward: OnwardProxy): Server {
  const address = { host: onward.host, port: onward.port, setHost: false };
  const kept = { keepAlive: true, maxSockets: DEFAULT_LIMITS.connections, maxFreeSockets: 16 };
  const pooled = onward.secure
    ? { ...address, protocol: 'https:', agent: new SecureAgent(kept) }
    : { ...address, agent: new Agent(kept) };
  const server = createServer({
    maxHeaderSize: MOST_HEAD_BYTES,
    requireHostHeader: false,
    headersTimeout: DEFAULT_LIMITS.headMs,
    requestTimeout: DEFAULT_LIMITS.totalMs,
    keepAliveTimeout: DEFAULT_LIMITS.keepAliveMs,
    connectionsCheckingInterval: 1_000,
  });
  server.maxConnections = DEFAULT_LIMITS.connections;
  server.maxHeadersCount = 0;
  server.on('request', pass);
  server.on('checkContinue', (request, response: ServerResponse) => {
    response.writeContinue();
    pass(request, response);
  });
  // The cast: this server accepts sockets only.
  server.on('connect', (request, socket, head) => tunnel(request, socket as Socket, head));
  server.on('clientError', (_, socket) => {
    // It was told why already; that may still be on its way.
    if (refused.has(socket))
      (socket as Socket).destroySoon(); // the cast: as above
    else writeDenial(socket as Socket, { status: 400, message: 'The request is no HTTP/1.1.' });
  });
  /** Connections of which nothing more is believed. */
  const refused = new WeakSet<object>();
  return server;

  function pass(request: IncomingMessage, response: ServerResponse): void {
    if (refused.has(request.socket)) return;
    try {
      const framing = readFraming(request);
      const headers = [
        ...['Host', request.headers.host ?? 'berth'],
        ...requestHeaders(request.rawHeaders),
        ...framingHeaders(framing),
        ...['Proxy-Authorization', onward.authorization],
      ];
      const { method = '', url: path = '' } = request;
      const asked = boundConnecting(httpRequest({ ...pooled, method, path, headers }));
      asked.on('response', (answer) => passBack(answer, request, response));
      asked.on('error', () => {
        if (response.headersSent) response.destroy();
        else answerDenial(response, UNREACHABLE, true);
      });
      response.on('close', () => asked.destroy());
      if (framing.kind === 'none') asked.end();
      else pipeline(request, asked, () => {}); // what fails is told by `asked`
    } catch (error) {
      refused.add(request.socket);
      answerDenial(response, denialOf(error), true);
    }
  }

  function tunnel(request: IncomingMessage, client: Socket, head: Buffer): void {
    client.on('error', () => client.destroy());
    if (refused.has(client)) {
      client.destroySoon();
      return;
    }
    let asked: ClientRequest;
    try {
      asked = askForTunnel(request);
    } catch (error) {
      writeDenial(client, denialOf(error));
      return;
    }
    asked.on('connect', (answer, upstream: Socket, first) => {
      if (answer.statusCode === 407) {
        upstream.destroy();
        writeDenial(client, UNKNOWN);
        return;
      }
      const lines = [`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`];
      for (let at = 0; at + 1 < answer.rawHeaders.length; at += 2) {
        lines.push(`${answer.rawHeaders[at]}: ${answer.rawHeaders[at + 1]}`);
      }
      client.write(`${lines.join('\r\n')}\r\n\r\n`);
      if (first.length > 0) client.write(first);
      if (head.length > 0) upstream.write(head);
      join(client, upstream);
    });
    asked.on('error', () => writeDenial(client, UNREACHABLE));
    client.on('close', () => asked.destroy());
    asked.end();
  }

  /** Throws a Refusal. */
  function askForTunnel(request: IncomingMessage): ClientRequest {
    if (readFraming(request).kind !== 'none') throw new Refusal('malformed', 'CONNECT has no body.');
    const { url: path = '' } = request;
    return boundConnecting(
      httpRequest({
        ...address,
        method: 'CONNECT',
        path,
        headers: ['Host', path, 'Proxy-Authorization', onward.authorization],
        createConnection: () => dial(onward),
      }),
    );
  }
}

/** Gives up on a proxy that can't be connected to. */
function boundConnecting(asked: ClientRequest): ClientRequest {
  return asked.on('socket', (socket) => {
    if (!socket.connecting) return;
    const patience = setTimeout(() => asked.destroy(new Error('no connection')), DEFAULT_LIMITS.connectMs);
    const stop = (): void => clearTimeout(patience);
    socket.once('connect', stop).once('close', stop);
  });
}

function passBack(answer: IncomingMessage, request: IncomingMessage, response: ServerResponse): void {
  // Answered before the body's end: where the next request would begin is not known.
  response.on('finish', () => {
    if (!request.complete) request.socket.destroySoon();
  });
  if (answer.statusCode === 407) {
    answer.destroy();
    answerDenial(response, UNKNOWN, true);
    return;
  }
  response.sendDate = false;
  response.writeHead(
    answer.statusCode ?? 502,
    answer.statusMessage ?? '',
    responseHeaders(answer.rawHeaders),
  );
  pipeline(answer, response, () => {}); // a failure cuts the client off, which tells it
}

/** Bytes both ways; one side's end is passed on, and a failure ends both. */
function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroySoon());
  }
}

function dial({ secure, host, port }: OnwardProxy): Socket {
  if (!secure) return connect({ host, port, allowHalfOpen: true });
  return secureConnect({ host, port, ...(isIP(host) === 0 && { servername: host }) });
}

function framingHeaders(framing: Framing): string[] {
  if (framing.kind === 'chunked') return ['Transfer-Encoding', 'chunked'];
  return framing.kind === 'length' ? ['Content-Length', String(framing.bytes)] : [];
}
