import type { Socket } from 'node:net';
import type { Gate } from '../gate.ts';
import type { Exchange } from './exchange.ts';
import { FairReader } from './fair-reader.ts';

/** A client's connection, and what it has in work. */
export class ClientConnection {
  readonly socket: Socket;
  /** In the order in which they came; seldom more than one. */
  readonly #exchanges: Exchange[] = [];
  /** Requests of it whose answers have not all gone out. */
  unanswered = 0;
  /** Requests of it that were refused. */
  denials = 0;
  /** Whose it is: once known, for good. */
  gate: Gate | undefined;
  /** What it showed to be let in. */
  authorization: string | undefined;
  readonly reader: FairReader;
  #refused = false;

  /** Called once when it is known whose it is, or when it has gone. */
  stranger: (() => void) | undefined;

  /** `nobody` is who its time counts for until it is known whose it is. */
  constructor(socket: Socket, nobody: Gate) {
    this.socket = socket;
    this.reader = new FairReader(socket, () => this.gate ?? nobody);
    socket.on('close', () => {
      this.gate?.leave(socket);
      for (const exchange of [...this.#exchanges]) exchange.abort();
    });
  }

  enter(exchange: Exchange): void {
    this.#exchanges.push(exchange);
  }

  leave(exchange: Exchange): void {
    const at = this.#exchanges.indexOf(exchange);
    if (at >= 0) this.#exchanges.splice(at, 1);
  }

  /** Counts it as the gate's, unless that has as many as it may. */
  bind(gate: Gate, mostConnections: number): boolean {
    if (gate.connections >= mostConnections) return false;
    this.gate = gate;
    gate.enter(this.socket);
    return true;
  }

  /** It was told to go, and nothing more of it is looked at. */
  get refused(): boolean {
    return this.#refused;
  }

  refuse(): void {
    this.#refused = true;
    this.reader.stop();
  }

  knownNow(): void {
    this.stranger?.();
    this.stranger = undefined;
  }

  /** Whether an answer has begun that an error can't be told in the middle of. */
  get answering(): boolean {
    return this.#exchanges.some((exchange) => exchange.answering);
  }
}
