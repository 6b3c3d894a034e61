import type { EgressOutcome, EgressRefusal } from '../../../../runtime/contracts/egress.ts';
import type { DnsAnswer } from '../../../support/dns-server.ts';

/** One row of the table. In all its texts names in capitals stand for what a run has: see `World.fill`. */
export interface Attack {
  readonly name: string;
  /** In Latin-1. Several pieces are sent one after the other, with a pause between them. */
  readonly send: string | readonly string[];
  readonly expect: Expected;
  /** By name: what DNS says of it, from then on. */
  readonly dns?: Readonly<Record<string, readonly DnsAnswer[]>>;
  /** What the hostile upstream answers. */
  readonly answer?: HostileAnswer;
}

export interface HostileAnswer {
  readonly bytes: string;
  /** `close`: it ends the connection then. `repeat`: it goes on sending the same. Otherwise it is silent. */
  readonly next?: 'close' | 'repeat';
}

export interface Expected {
  readonly status: number;
  /** Counted and logged with this reason; unless `partial`, no upstream has had a byte of it. */
  readonly refused?: EgressRefusal;
  readonly passed?: EgressOutcome;
  /** A part of it may have gone out before it turned out to be bad. */
  readonly partial?: true;
  /** The proxy closes the connection, and there is no second answer on it. */
  readonly closes?: true;
  /** What upstreams must have seen, and what they must not. */
  readonly saw?: readonly string[];
  readonly never?: readonly string[];
  /** What the client's answer has in it. */
  readonly answer?: string;
  /** What DNS was asked, all of it, in any order. */
  readonly asked?: readonly string[];
}

export const MALFORMED: Expected = { status: 400, refused: 'malformed', asked: [] };
export const NOT_ALLOWED: Expected = { status: 403, refused: 'not_allowed', asked: [] };
export const PRIVATE: Expected = { status: 403, refused: 'private_address' };
export const FORBIDDEN_PATH: Expected = { status: 403, refused: 'forbidden_path', asked: [] };
export const UNKNOWN_ROUTE: Expected = { status: 404, refused: 'unknown_route', asked: [] };

/** A plain request to this host, at the upstreams' and victims' port unless it has one. */
export const get = (host: string, headers = ''): string =>
  `GET http://${host}${/:\d+$|PORT|HOSTILE/.test(host) ? '' : ':PORT'}/ HTTP/1.1\r\nHost: up.test\r\n${headers}\r\n`;

export const connectTo = (authority: string, rest = ''): string =>
  `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${rest}\r\n`;
