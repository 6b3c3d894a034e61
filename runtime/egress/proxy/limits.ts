const SECOND = 1000;
const MIB = 1024 * 1024;

/** What one container may take of the proxy. Times are in milliseconds. */
export interface Limits {
  /** Client connections open at once, tunnels among them. */
  readonly connections: number;
  /** Requests in work at once, tunnels not counted. */
  readonly requests: number;
  /** Requests that one connection may have sent ahead of their answers. */
  readonly pipelined: number;
  /** Names being resolved at once; more wait for their turn. */
  readonly lookups: number;
  /** From the first byte of a request, or the connection's start, to the end of its head. */
  readonly headMs: number;
  /** A client connection between two requests. */
  readonly keepAliveMs: number;
  /** An upstream connection between two requests. */
  readonly pooledMs: number;
  /** Resolving, connecting and a TLS handshake together. */
  readonly connectMs: number;
  /** From the CONNECT's answer to the end of the ClientHello. */
  readonly helloMs: number;
  /** From the last byte of a request to its answer's head. */
  readonly answerMs: number;
  /** A body, either way, of which no byte comes or goes. */
  readonly idleBodyMs: number;
  readonly idleTunnelMs: number;
  /** A whole request with its answer; tunnels have no such limit. */
  readonly totalMs: number;
  /** Bytes of one request's body that is gathered before it is sent. */
  readonly gatheredBytes: number;
  /** The same of all requests at once. */
  readonly gatheredBytesAtOnce: number;
}

export const DEFAULT_LIMITS: Limits = {
  connections: 256,
  requests: 64,
  pipelined: 8,
  lookups: 2,
  headMs: 10 * SECOND,
  keepAliveMs: 60 * SECOND,
  pooledMs: 4 * SECOND,
  connectMs: 10 * SECOND,
  helloMs: 10 * SECOND,
  answerMs: 300 * SECOND,
  idleBodyMs: 300 * SECOND,
  idleTunnelMs: 120 * SECOND,
  totalMs: 3600 * SECOND,
  gatheredBytes: 32 * MIB,
  gatheredBytesAtOnce: 64 * MIB,
};

/** A ClientHello is looked for in so many bytes. */
export const MOST_HELLO_BYTES = 16 * 1024;
