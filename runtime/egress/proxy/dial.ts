import { isIP, connect as netConnect, type OnReadOpts, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { codeOf } from '../../http1/answer-failure.ts';
import type { CanonicalHost } from '../verdict/canonical-host.ts';
import { UpstreamFailure } from './upstream-failure.ts';

/** While there are other addresses to try, one gets no more than this. */
const ONE_OF_SEVERAL_MS = 2000;

export interface DialOptions {
  readonly halfOpen: boolean;
  /** Where its bytes go, if not through the socket. */
  readonly read?: OnReadOpts;
}

/** Connects to the first of the addresses that takes the connection. */
export async function dial(
  addresses: readonly string[],
  port: number,
  options: DialOptions & { deadline: number },
): Promise<Socket> {
  let last: unknown;
  for (const [index, host] of addresses.entries()) {
    const remaining = options.deadline - performance.now();
    if (remaining <= 0) break;
    const patience = index + 1 < addresses.length ? Math.min(remaining, ONE_OF_SEVERAL_MS) : remaining;
    const socket = netConnect({
      host,
      port,
      allowHalfOpen: options.halfOpen,
      noDelay: true,
      keepAlive: true,
      ...(options.read && { onread: options.read }),
    });
    try {
      return await opened(socket, 'connect', patience);
    } catch (error) {
      last = error;
    }
  }
  throw last ?? new UpstreamFailure('timed_out', 'The connection took too long.');
}

/** TLS on top, with the host's name as SNI and its certificate checked against Node's authorities. */
export function secure(socket: Socket, host: CanonicalHost, deadline: number): Promise<Socket> {
  const names = isIP(host) === 0 ? { servername: host } : {};
  const onTop = tlsConnect({ socket, host, ...names, ALPNProtocols: ['http/1.1'] });
  return opened(onTop, 'secureConnect', Math.max(1, deadline - performance.now()));
}

function opened(socket: Socket, event: 'connect' | 'secureConnect', patienceMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (failure: UpstreamFailure) => {
      clearTimeout(timer);
      socket.destroy();
      reject(failure);
    };
    const timer = setTimeout(
      () => fail(new UpstreamFailure('timed_out', 'The host does not take connections in time.')),
      patienceMs,
    );
    // It stays: a socket that fails later, while nobody listens, must not end the program.
    socket.on('error', (error) =>
      fail(new UpstreamFailure('upstream_failed', `The host could not be connected to: ${codeOf(error)}.`)),
    );
    socket.once('close', () =>
      fail(new UpstreamFailure('upstream_failed', 'The host closed the connection.')),
    );
    socket.once(event, () => {
      clearTimeout(timer);
      resolve(socket);
    });
  });
}
