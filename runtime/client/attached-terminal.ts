import { path } from './wire/address.ts';
import { aborted, BerthError } from './wire/berth-error.ts';
import type { Caller } from './wire/caller.ts';
import type { SignOfLife } from './wire/event-parser.ts';
import { reconnecting } from './wire/reconnecting.ts';
import { type OpenSocket, SocketClosed, TerminalSocket } from './wire/terminal-socket.ts';

/** What a terminal tells. `gap`: bytes that are no longer kept. `exit` is the last. */
export type TerminalEvent =
  | { type: 'output'; bytes: Uint8Array }
  | { type: 'gap'; from: number; to: number }
  | { type: 'exit'; exit_code: number | null };

/** What may be typed while there is no connection. */
const MOST_UNSENT = 1024 * 1024;
const GONE = 4404;
const REFUSED = 1008;
const SOCKET = '/v1/conversations/{id}/terminals/{terminal_id}/socket';

/**
 * A terminal that is looked at, read as `for await (const event of attached)`. It connects when it is first read. Lost
 * connections are taken up again, without a byte lost or told twice where the service still has it; what was typed
 * just before may not have arrived. Who leaves the loop lets go of the terminal, which lives on.
 */
export class AttachedTerminal implements AsyncIterable<TerminalEvent> {
  readonly terminalId: string;
  readonly #caller: Caller;
  readonly #conversation: string;
  readonly #signal: AbortSignal | undefined;
  readonly #left = new AbortController();
  #at: number;
  #socket: TerminalSocket | undefined;
  #unsent: Uint8Array[] = [];
  #size: { cols: number; rows: number } | undefined;
  #reading = false;
  #over = false;

  constructor(
    caller: Caller,
    { conversation, terminal, after }: { conversation: string; terminal: string; after: number },
    signal: AbortSignal | undefined,
  ) {
    this.#caller = caller;
    this.#conversation = conversation;
    this.terminalId = terminal;
    this.#at = after;
    this.#signal = signal;
  }

  /** How many bytes of output were told, and were before: what `attach` takes as `after`. */
  get position(): number {
    return this.#at;
  }

  /** Types. While there is no connection, up to 1 MiB waits for one. */
  write(data: string | Uint8Array): void {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    if (this.#socket?.isOpen === true) {
      this.#socket.send(bytes);
      return;
    }
    const waiting = this.#unsent.reduce((sum, { length }) => sum + length, bytes.length);
    if (waiting > MOST_UNSENT)
      throw new BerthError('CONNECTION_FAILED', 'more than 1 MiB was typed while nothing is connected');
    this.#unsent.push(bytes.slice());
  }

  /** Said again to every connection. */
  resize(cols: number, rows: number): void {
    this.#size = { cols, rows };
    if (this.#socket?.isOpen === true) this.#socket.resize(cols, rows);
  }

  /** Ends the loop that reads it. The terminal lives on. */
  close(): void {
    this.#over = true;
    this.#left.abort();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TerminalEvent, void, undefined> {
    if (this.#reading) throw new BerthError('INVALID_REQUEST', 'this terminal is being read already');
    this.#reading = true;
    const signal = this.#signal;
    const end = () => this.#left.abort();
    signal?.addEventListener('abort', end, { once: true });
    try {
      yield* reconnecting({
        connect: () => this.#connect(),
        over: () => this.#over,
        settings: this.#caller.settings,
        signal,
      });
    } finally {
      signal?.removeEventListener('abort', end);
      this.#reading = false;
    }
  }

  async *#connect(): AsyncGenerator<TerminalEvent | SignOfLife> {
    this.#requireSignal();
    const { base, key, openSocket } = this.#caller.settings;
    const params = { id: this.#conversation, terminal_id: this.terminalId };
    const address = `${base}${path(SOCKET, params, { after: this.#at })}`.replace(/^http/, 'ws');
    const socket = new TerminalSocket(openSocket, address, key);
    this.#socket = socket;
    try {
      for await (const frame of socket.frames(this.#left.signal)) {
        if (frame.type === 'attached') {
          this.#catchUp(socket);
          const from = this.#at;
          this.#at = frame.offset;
          yield frame.offset > from ? { type: 'gap', from, to: frame.offset } : 'comment';
        } else {
          if (frame.type === 'output') this.#at += frame.bytes.length;
          else this.#over = true;
          yield frame;
        }
      }
    } catch (error) {
      this.#requireSignal();
      throw error instanceof SocketClosed && !this.#over ? await this.#why(error) : error;
    } finally {
      if (this.#socket === socket) this.#socket = undefined;
    }
  }

  /** Throws when the caller's signal has ended it. */
  #requireSignal(): void {
    if (this.#signal?.aborted === true) throw aborted(this.#signal);
  }

  #catchUp(socket: TerminalSocket): void {
    if (this.#size !== undefined) socket.resize(this.#size.cols, this.#size.rows);
    for (const bytes of this.#unsent.splice(0)) socket.send(bytes);
  }

  /** Browsers do not tell why there is no connection; the list of terminals does. */
  async #why(closed: SocketClosed): Promise<unknown> {
    if (closed.code === GONE) return new BerthError('TERMINAL_NOT_FOUND', closed.reason, { status: 404 });
    const lost = new BerthError('CONNECTION_FAILED', closed.message, { cause: closed });
    if (closed.opened && closed.code !== REFUSED) return lost;
    try {
      const answer = await this.#caller.once('GET /v1/conversations/{id}/terminals', {
        params: { id: this.#conversation },
        ...(this.#signal === undefined ? {} : { signal: this.#signal }),
      });
      const { terminals } = (await answer.json()) as { terminals: { terminal_id: string }[] };
      if (!terminals.some(({ terminal_id }) => terminal_id === this.terminalId))
        return new BerthError('TERMINAL_NOT_FOUND', `there is no terminal ${this.terminalId}`, {
          status: 404,
        });
    } catch (error) {
      return error;
    }
    return closed.code === REFUSED ? new BerthError('INVALID_REQUEST', closed.reason) : lost;
  }
}

/** The platform's own. */
export const platformSocket: OpenSocket = (url, protocols) => {
  if (typeof WebSocket === 'function') return new WebSocket(url, protocols);
  throw new BerthError('INVALID_REQUEST', 'this platform has no WebSocket: give one as `webSocket`');
};
