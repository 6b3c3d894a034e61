import { createServer, type Server } from 'node:http';
import { MOST_HEAD_BYTES } from '../../http1/head-limits.ts';
import { Gate } from '../gate.ts';
import { Doorkeeper } from './doorkeeper.ts';
import { ForwardProxy } from './forward-proxy.ts';
import { type ProxyOptions, settingsOf } from './proxy-options.ts';

export type { ProxyOptions } from './proxy-options.ts';

/** A request that takes too long is the watchdog's to end and to count; Node's own limit is for what it has not seen. */
const AFTER_WATCHDOG_MS = 5000;

/** Finds the gate of a container that shows this credential. Compares in constant time. */
export type FindGate = (container: string, credential: string) => Gate | undefined;

/** A proxy whose every client is one container's. */
export function createProxyServer(gate: Gate, options: ProxyOptions = {}): Server {
  return serverOf(Doorkeeper.forOne(gate), options);
}

/** A proxy for many containers, each of which shows its credential with every request. */
export function createSharedProxyServer(find: FindGate, options: ProxyOptions = {}): Server {
  return serverOf(Doorkeeper.forMany(find, options.nobody ?? new Gate('', () => {})), options);
}

function serverOf(doorkeeper: Doorkeeper, options: ProxyOptions): Server {
  const settings = settingsOf(options);
  const { headMs, keepAliveMs, totalMs } = settings.limits;
  const proxy = new ForwardProxy(doorkeeper, settings);
  const server = createServer({
    insecureHTTPParser: false,
    maxHeaderSize: MOST_HEAD_BYTES,
    // Checked by the proxy itself, which counts what it refuses.
    requireHostHeader: false,
    keepAliveTimeout: keepAliveMs,
    headersTimeout: headMs,
    requestTimeout: Math.max(headMs, totalMs) + AFTER_WATCHDOG_MS,
    connectionsCheckingInterval: Math.min(1000, Math.ceil(headMs / 4)),
  });
  // All of them are looked at; the head's size bounds their number.
  server.maxHeadersCount = 0;
  server.on('connection', (socket) => proxy.accept(socket));
  server.on('request', (request, response) => proxy.handle(request, response));
  server.on('checkContinue', (request, response) => proxy.handle(request, response));
  server.on('checkExpectation', (request, response) => proxy.handle(request, response));
  // Node's types have a Duplex here for servers that are fed by hand; this one accepts sockets only.
  server.on('connect', (request, _socket, head) => void proxy.connect(request, head));
  server.on('clientError', (error, socket) => proxy.broken(error, socket));
  return server;
}
