import { once } from 'node:events';
import { type Duplex, Transform } from 'node:stream';
import { BerthError } from '../contracts/errors.ts';
import { LastBytes } from './last-bytes.ts';
import { LogFrames } from './log-frames.ts';
import { LAST_WORDS_BYTES, type RunEnd, type VolumeRun } from './volume-run.ts';

const STDERR = 2;
/** As a shell tells of one that was killed. */
const KILLED = 137;
const ENDED_BY_ANOTHER = 'another call has ended it';

interface Attached {
  /** The script's stdin, and both its outputs in frames. */
  connection: Duplex;
  /** Of what has ended, or is about to. Undefined: it is gone, by another's doing. */
  exitCode(): Promise<number | undefined>;
  /** What a connection that broke means. Undefined: the end of the script, which its exit code tells of. */
  broken(error: Error): Error | undefined;
  remove(): Promise<void>;
}

/** A script in a container whose stdin and outputs are one connection. Where we don't read, it waits. */
export function attachedRun({ connection, exitCode, broken, remove }: Attached): VolumeRun {
  const stdout = new Stdout();
  const over = once(stdout, 'close');
  connection.on('error', (error) => {
    const failure = broken(error);
    if (failure === undefined) stdout.end();
    else stdout.destroy(failure);
  });
  connection.once('close', () => {
    if (!connection.readableEnded && !stdout.writableEnded) stdout.destroy();
  });
  // Who reads no more has no more to write either.
  stdout.once('close', () => {
    if (!stdout.readableEnded) connection.destroy();
  });
  stdout.on('error', () => {}); // for whoever reads
  connection.pipe(stdout);
  const ended = over.then(async (): Promise<RunEnd> => {
    const code = await exitCode();
    if (code === undefined) return { exitCode: KILLED, words: ENDED_BY_ANOTHER };
    return { exitCode: code, words: stdout.words };
  });
  ended.catch(() => {}); // for whoever asks
  return {
    stdin: connection,
    stdout,
    ended,
    async remove() {
      // First, since an engine is slow to end what waits for its reader.
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
