import { once } from 'node:events';
import { type Duplex, Transform } from 'node:stream';
import { BerthError } from '../../contracts/errors.ts';
import { LastBytes } from '../last-bytes.ts';
import { LAST_WORDS_BYTES, type RunEnd, type VolumeRun } from '../volume-run.ts';
import { isRefusal, unavailable } from './engine-errors.ts';
import { LogFrames } from './log-frames.ts';

const STDERR = 2;
/** As a shell tells of one that was killed. */
const KILLED = 137;
const ENDED_BY_ANOTHER = 'another call has ended it';

interface Attached {
  /** What the engine calls it in errors. */
  name: string;
  host: string;
  connection: Duplex;
  exitCode(): Promise<number>;
  remove(): Promise<void>;
}

/** A container whose stdin and outputs are one connection. The engine waits where we don't read, and so do we. */
export function attachedRun({ name, host, connection, exitCode, remove }: Attached): VolumeRun {
  const stdout = new Stdout();
  const over = once(stdout, 'close');
  connection.on('error', (error) =>
    stdout.destroy(unavailable(`the streams of ${name}`, host, error.message, error)),
  );
  connection.once('close', () => {
    if (!connection.readableEnded) stdout.destroy();
  });
  // Who reads no more has no more to write either.
  stdout.once('close', () => {
    if (!stdout.readableEnded) connection.destroy();
  });
  stdout.on('error', () => {}); // for whoever reads
  connection.pipe(stdout);
  const ended = over.then(async (): Promise<RunEnd> => {
    try {
      return { exitCode: await exitCode(), words: stdout.words };
    } catch (error) {
      if (isRefusal(error, 404)) return { exitCode: KILLED, words: ENDED_BY_ANOTHER };
      throw isRefusal(error) ? unavailable(`waiting for ${name}`, host, error.message, error) : error;
    }
  });
  ended.catch(() => {}); // for whoever asks
  return {
    stdin: connection,
    stdout,
    ended,
    async remove() {
      // First, since the engine is slow to end what waits for its reader.
      stdout.destroy(new BerthError('ARCHIVE_FAILED', ENDED_BY_ANOTHER));
      await remove();
    },
  };
}

/** What a container writes to stdout, out of the frames that it comes in. The end of stderr is kept. */
class Stdout extends Transform {
  readonly #frames = new LogFrames();
  readonly #stderr = new LastBytes(LAST_WORDS_BYTES);

  get words(): string {
    return this.#stderr.toString();
  }

  override _transform(piece: Buffer, _encoding: string, done: () => void): void {
    for (const text of this.#frames.read(piece)) {
      // A copy: it is kept for longer than what it is a part of.
      if (this.#frames.stream === STDERR) this.#stderr.add(Buffer.from(text));
      else this.push(text);
    }
    done();
  }
}
