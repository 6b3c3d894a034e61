import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import type { TerminalLine } from '../../agent-client/terminal-line.ts';
import { CLOSE_CODES, type Closing } from './closing.ts';
import { parseViewerMessage } from './viewer-message.ts';

/** Less than proxies take for a dead line. */
const PING_MS = 25_000;
/** With more than this untaken nothing more is read of the terminal. */
const MAX_UNTAKEN = 256 * 1024;
/** Who takes less than that in so long is let go: the terminal is others', too. */
const PATIENCE_MS = 5000;
/** What a client gets to say goodbye; one that is behind, to read what it is behind with. */
const LAST_WORDS_MS = { usual: 2000, tooSlow: 30_000 };

/** Somebody who looks at a terminal, over a WebSocket. */
export class TerminalViewer {
  readonly #socket: WebSocket;
  readonly #connection: Socket;
  readonly #line: TerminalLine;
  readonly #pings: NodeJS.Timeout;
  readonly #closed: Promise<void>;
  #answered = true;
  /** Messages that the container has not taken yet. */
  #untyped = 0;

  /** `onGone` is called when it has closed, whoever closed it. */
  constructor(socket: WebSocket, connection: Socket, line: TerminalLine, onGone: () => void) {
    this.#socket = socket;
    this.#connection = connection;
    this.#line = line;
    this.#pings = setInterval(() => this.#ping(), PING_MS);
    this.#closed = new Promise((resolve) => socket.once('close', () => resolve()));
    void this.#closed.then(() => {
      clearInterval(this.#pings);
      onGone();
    });
    socket.on('error', () => {}); // `close` follows
    socket.on('pong', () => {
      this.#answered = true;
    });
    socket.on('message', (data, isBinary) => void this.#hear(data, isBinary));
  }

  /** Shows the terminal until it ends. Throws where its line breaks before, or `until` aborts. */
  async show(until: AbortSignal): Promise<void> {
    this.#tell({ type: 'attached', offset: this.#line.offset });
    for (;;) {
      const { value, done } = await this.#line.output.next();
      if (done === true) {
        this.#tell({ type: 'exit', exit_code: value.exitCode });
        return this.close({ code: CLOSE_CODES.over, reason: '' });
      }
      this.#socket.send(value);
      if (this.#socket.bufferedAmount > MAX_UNTAKEN && !(await this.#caughtUp(until)))
        return this.#leaveBehind(until);
    }
  }

  /** Resolves when it is closed. */
  async close({ code, reason }: Closing, withinMs = LAST_WORDS_MS.usual): Promise<void> {
    this.#socket.close(code, reason);
    const late = setTimeout(() => this.#socket.terminate(), withinMs);
    await this.#closed;
    clearTimeout(late);
  }

  /** The terminal is let go of at once: it waits for nobody who is sent away. */
  async #leaveBehind(until: AbortSignal): Promise<void> {
    await this.#line.output.return({ exitCode: null });
    const cut = () => this.#socket.terminate();
    until.addEventListener('abort', cut, { once: true });
    const closing = { code: CLOSE_CODES.tooSlow, reason: 'too far behind: attach again' };
    await this.close(closing, LAST_WORDS_MS.tooSlow);
    until.removeEventListener('abort', cut);
  }

  #tell(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  /** False: it takes too long. */
  async #caughtUp(until: AbortSignal): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>();
    const late = setTimeout(() => resolve(false), PATIENCE_MS);
    const onDrain = () => resolve(true);
    const onAbort = () => reject(until.reason);
    this.#connection.once('drain', onDrain);
    until.addEventListener('abort', onAbort, { once: true });
    if (until.aborted) onAbort();
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      this.#connection.off('drain', onDrain);
      until.removeEventListener('abort', onAbort);
    }
  }

  /** Reads nothing more of the client until the container has taken what came. */
  async #hear(data: RawData, isBinary: boolean): Promise<void> {
    this.#answered = true;
    const bytes = Buffer.isBuffer(data) ? data : Buffer.alloc(0); // `nodebuffer`, as it is by default
    const message = isBinary ? undefined : parseViewerMessage(bytes.toString());
    if (message !== undefined && 'wrong' in message)
      return this.close({ code: CLOSE_CODES.refused, reason: message.wrong });
    if (!isBinary && message === undefined) return;
    this.#untyped += 1;
    this.#socket.pause();
    await (message === undefined ? this.#line.type(bytes) : this.#line.resize(message.cols, message.rows));
    this.#untyped -= 1;
    if (this.#untyped === 0) this.#socket.resume();
  }

  #ping(): void {
    // What it answers is not read while the container takes nothing of what came before.
    if (!this.#answered && this.#untyped === 0) {
      this.#socket.terminate();
      return;
    }
    this.#answered = false;
    if (this.#socket.readyState === this.#socket.OPEN) this.#socket.ping();
  }
}
