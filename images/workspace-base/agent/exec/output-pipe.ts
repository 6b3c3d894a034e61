import { Socket } from 'node:net';

/** Takes a chunk, which is only lent: it is overwritten by the next. Returns false to have reading paused. */
export type ChunkSink = (chunk: Buffer) => boolean;

/** Where every pipe reads into: a chunk is handed on within the read that filled it. */
const lent = Buffer.allocUnsafeSlow(64 * 1024);

/** The reading end of a command's stdout or stderr. */
export class OutputPipe {
  /** How many bytes have come so far. */
  bytes = 0;
  /** Resolves when every writer has closed its end. */
  readonly closed: Promise<void>;
  readonly #socket: Socket;
  #sink: ChunkSink;
  #paused = false;

  /** Reads a pipe that the agent opened, without allocating anything for it. */
  static fromDescriptor(fd: number, sink: ChunkSink): OutputPipe {
    let chunk = lent;
    const receive = (length: number): boolean => {
      // Endless output comes in pieces of one size: a view of each would be garbage by the megabyte.
      if (chunk.length !== length) chunk = lent.subarray(0, length);
      pipe.#receive(chunk);
      return true;
    };
    const onread = { buffer: lent, callback: receive };
    const pipe: OutputPipe = new OutputPipe(
      new Socket({ fd, readable: true, writable: false, onread }),
      sink,
    );
    return pipe;
  }

  /** Reads a pipe that Node made with the child. */
  static fromSocket(socket: Socket, sink: ChunkSink): OutputPipe {
    const pipe = new OutputPipe(socket, sink);
    socket.on('data', (chunk) => pipe.#receive(chunk));
    return pipe;
  }

  private constructor(socket: Socket, sink: ChunkSink) {
    this.#socket = socket;
    this.#sink = sink;
    // A pipe that can't be read any more is as good as closed; `close` follows an error.
    socket.on('error', () => {});
    this.closed = new Promise((resolve) => socket.on('close', () => resolve()));
  }

  get paused(): boolean {
    return this.#paused;
  }

  resume(): void {
    this.#paused = false;
    this.#socket.resume();
  }

  /** Reads on and drops everything: a background process keeps a stdout that it can write to. */
  drop(): void {
    this.#sink = () => true;
    this.resume();
  }

  #receive(chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.#sink(chunk)) return;
    this.#paused = true;
    this.#socket.pause();
  }
}
