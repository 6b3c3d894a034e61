import type { IncomingMessage } from 'node:http';
import type { Gate } from '../gate.ts';
import { Refusal } from '../verdict/refusal.ts';
import { claimedIdentity, proxyAuthorization, unauthenticated } from './client-authentication.ts';
import type { ClientConnection } from './client-connection.ts';

/** So many connections of one address may be open before they have shown whose they are. */
const STRANGERS_PER_ADDRESS = 64;

/** Knows whose a connection is, and how many there may be. */
export class Doorkeeper {
  /** Where that is counted which is nobody's yet. */
  readonly nobody: Gate;
  readonly #find: ((container: string, credential: string) => Gate | undefined) | undefined;
  readonly #strangers = new Map<string, number>();

  private constructor(nobody: Gate, find?: (container: string, credential: string) => Gate | undefined) {
    this.nobody = nobody;
    this.#find = find;
  }

  static forOne(gate: Gate): Doorkeeper {
    return new Doorkeeper(gate);
  }

  static forMany(
    find: (container: string, credential: string) => Gate | undefined,
    nobody: Gate,
  ): Doorkeeper {
    return new Doorkeeper(nobody, find);
  }

  /** Throws a `too_many` refusal. */
  enter(connection: ClientConnection, mostConnections: number): void {
    if (!this.#find) {
      bind(connection, this.nobody, mostConnections);
      return;
    }
    const address = connection.socket.remoteAddress ?? '';
    const strangers = this.#strangers.get(address) ?? 0;
    if (strangers >= STRANGERS_PER_ADDRESS) throw tooMany();
    this.#strangers.set(address, strangers + 1);
    connection.stranger = () => this.#forget(address);
    connection.socket.once('close', () => connection.knownNow());
  }

  /** The gate of a request. Throws an `unauthenticated` or a `too_many` refusal. */
  gateOf(connection: ClientConnection, request: IncomingMessage, mostConnections: number): Gate {
    if (!this.#find) return this.nobody;
    const authorization = proxyAuthorization(request.rawHeaders);
    if (connection.gate && authorization !== undefined && authorization === connection.authorization) {
      return connection.gate;
    }
    const { container, credential } = claimedIdentity(authorization);
    const gate = this.#find(container, credential);
    // One connection is one container's.
    if (!gate || (connection.gate && connection.gate !== gate)) throw unauthenticated();
    if (!connection.gate) bind(connection, gate, mostConnections);
    connection.authorization = authorization;
    connection.knownNow();
    return gate;
  }

  #forget(address: string): void {
    const left = (this.#strangers.get(address) ?? 1) - 1;
    if (left > 0) this.#strangers.set(address, left);
    else this.#strangers.delete(address);
  }
}

function bind(connection: ClientConnection, gate: Gate, mostConnections: number): void {
  if (!connection.bind(gate, mostConnections)) throw tooMany();
}

function tooMany(): Refusal {
  return new Refusal('too_many', 'Too many connections are open at once; close some, or use fewer.');
}
