import { BerthError } from './berth-error.ts';

/** Opens a WebSocket as the platform does; Node before 22 has none. */
export type OpenSocket = (url: string, protocols: string[]) => WebSocket;

/** What the service says of a terminal. */
export type TerminalFrame =
  | { type: 'attached'; offset: number }
  | { type: 'output'; bytes: Uint8Array }
  | { type: 'exit'; exit_code: number | null };

/** How a connection ended that told no exit. `opened`: it had been there. */
export class SocketClosed extends Error {
  readonly code: number;
  readonly reason: string;
  readonly opened: boolean;

  constructor(code: number, reason: string, opened: boolean) {
    super(`the connection closed with ${code}${reason === '' ? '' : `: ${reason}`}`);
    this.code = code;
    this.reason = reason;
    this.opened = opened;
  }
}

/** More than this unread, and the connection is let go: it is taken up again when there is room. */
const MOST_UNREAD = 1024 * 1024;
/** Of one message; the service takes 1 MiB. */
const MOST_SENT = 64 * 1024;

/** One connection to a terminal. */
export class TerminalSocket {
  readonly #socket: WebSocket;
  readonly #unread: TerminalFrame[] = [];
  #bytes = 0;
  #opened = false;
  #closed: SocketClosed | undefined;
  #wake: () => void = () => {};

  constructor(open: OpenSocket, url: string, key: string) {
    this.#socket = open(url, ['berth.terminal', `berth.key.${base64url(key)}`]);
    this.#socket.binaryType = 'arraybuffer';
    this.#socket.onmessage = ({ data }) => this.#hear(data);
    this.#socket.onerror = () => {}; // `close` follows, and tells as much
    this.#socket.onclose = ({ code, reason }) => {
      this.#closed ??= new SocketClosed(code, reason, this.#opened);
      this.#wake();
    };
  }

  get isOpen(): boolean {
    return this.#opened && this.#closed === undefined;
  }

  /** What comes. Throws `SocketClosed`, where that happens before the exit was told. */
  async *frames(signal: AbortSignal): AsyncGenerator<TerminalFrame> {
    const end = () => this.close();
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    try {
      for (;;) {
        const frame = this.#unread.shift();
        if (frame === undefined) {
          if (this.#closed !== undefined) throw this.#closed;
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
          continue;
        }
        if (frame.type === 'output') this.#bytes -= frame.bytes.length;
        yield frame;
        if (frame.type === 'exit') return;
      }
    } finally {
      signal.removeEventListener('abort', end);
      this.close();
    }
  }

  send(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += MOST_SENT) this.#socket.send(bytes.slice(at, at + MOST_SENT)); // a copy: what is sent later may change meanwhile
  }

  resize(cols: number, rows: number): void {
    this.#socket.send(JSON.stringify({ type: 'resize', cols, rows }));
  }

  close(): void {
    this.#closed ??= new SocketClosed(1005, '', this.#opened);
    this.#socket.close();
    this.#wake();
  }

  #hear(data: unknown): void {
    if (this.#closed !== undefined) return;
    const frame = frameOf(data);
    if (frame === undefined) return; // of a later version
    if (frame.type === 'attached') this.#opened = true;
    if (frame.type === 'output') this.#bytes += frame.bytes.length;
    this.#unread.push(frame);
    if (this.#bytes > MOST_UNREAD) this.close();
    this.#wake();
  }
}

function frameOf(data: unknown): TerminalFrame | undefined {
  if (data instanceof ArrayBuffer) return { type: 'output', bytes: new Uint8Array(data) };
  const { type, offset, exit_code } = parsed(data);
  if (type === 'attached' && typeof offset === 'number') return { type, offset };
  if (type === 'exit') return { type, exit_code: typeof exit_code === 'number' ? exit_code : null };
  return undefined;
}

function parsed(data: unknown): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(String(data));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>; // JSON.parse made it
  } catch {
    // told below
  }
  throw new BerthError('UNEXPECTED_ANSWER', 'a frame of the terminal is no JSON object');
}

function base64url(text: string): string {
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
