import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { type Duplex, Transform } from 'node:stream';

interface Order {
  script: string;
  args: string[];
}

const HEADER_BYTES = 8;

/** A script of bash at work in a folder. Whoever is connected is its stdin, and gets its outputs in frames. */
export class ScriptRun {
  readonly #child: ChildProcessWithoutNullStreams;
  #exitCode: number | undefined;

  /** Undefined: it is none. */
  static parse(header: string | string[] | undefined): Order | undefined {
    try {
      const order: unknown = JSON.parse(Buffer.from(String(header ?? ''), 'base64').toString());
      const { script, args } = order as Partial<Order>; // checked next
      const isOrder = typeof script === 'string' && Array.isArray(args);
      return isOrder && args.every((arg) => typeof arg === 'string') ? { script, args } : undefined;
    } catch {
      return undefined;
    }
  }

  constructor({ script, args }: Order, folder: string, socket: Duplex) {
    // Its stdin is a socket, which it would take for a login from afar.
    this.#child = spawn('bash', ['--norc', '-c', script, 'bash', folder, ...args], {
      cwd: '/',
      env: { PATH: process.env.PATH, LC_ALL: 'C' },
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const { stdin, stdout, stderr } = this.#child;
    stdin.on('error', () => {}); // told by how it ends
    socket.pipe(stdin);
    const outputs = [stdout.pipe(framed(1)), stderr.pipe(framed(2))];
    for (const output of outputs) output.pipe(socket, { end: false });
    this.#child.once('error', () => socket.destroy());
    this.#child.once('exit', (code, signal) => {
      this.#exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal]);
    });
    // All that it said is on its way before the end is.
    Promise.all([once(this.#child, 'exit'), ...outputs.map((output) => once(output, 'end'))]).then(
      () => {
        socket.unpipe();
        socket.resume();
        socket.end();
      },
      () => socket.destroy(),
    );
  }

  /** Undefined while it runs. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  /** With all that it has started. */
  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#exitCode !== undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {} // it ended meanwhile
  }
}

/** The stream's number, 3 zeros, 4 bytes of length, then the text: in one piece, since two streams share the connection. */
function framed(stream: number): Transform {
  return new Transform({
    transform(piece: Buffer, _encoding, done) {
      const header = Buffer.alloc(HEADER_BYTES);
      header.writeUInt8(stream);
      header.writeUInt32BE(piece.length, 4);
      done(null, Buffer.concat([header, piece]));
    },
  });
}
