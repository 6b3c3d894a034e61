import { pipeline, Transform } from 'node:stream';
import { constants, createZstdCompress } from 'node:zlib';
import { BerthError } from '../contracts/errors.ts';
import { LARGE_PIECE_BYTES, LargePieces } from './large-pieces.ts';
import { hasPassed } from './passing-memory.ts';
import type { ArchiveStream } from './volume-backend.ts';
import { runFailure, type VolumeRun } from './volume-run.ts';
import { BYTES, CREDIT_BYTES, CREDITS, ENTRIES } from './volume-scripts.ts';

/** No more workers: the streams of Node lose what those give at the end. */
const ZSTD = {
  chunkSize: LARGE_PIECE_BYTES,
  params: { [constants.ZSTD_c_compressionLevel]: 1, [constants.ZSTD_c_checksumFlag]: 1 },
};

/** What a script that archives gives, compressed here if it is not yet. Whoever destroys the content ends the run. */
export function archiveStream(run: VolumeRun, packed: boolean, signal: AbortSignal): ArchiveStream {
  let entries: number | undefined;
  const whole = new WholeOutput(run, async (bytes) => {
    entries = await entriesOf(run, bytes);
    await run.remove();
  });
  const stages = packed ? [whole] : [whole, new LargePieces(), createZstdCompress(ZSTD)];
  const content = stages.at(-1) ?? whole;
  const onAbort = () => content.destroy(abortReason(signal));
  signal.addEventListener('abort', onAbort);
  pipeline([run.stdout, ...stages], (error) => {
    // Left to whoever is next to work on the volume, where it fails.
    if (error) run.remove().catch(() => {});
  });
  content.once('close', () => {
    signal.removeEventListener('abort', onAbort);
    if (!content.readableEnded) run.remove().catch(() => {});
  });
  if (signal.aborted) onAbort();
  return {
    content,
    entries() {
      if (entries === undefined) throw new BerthError('INTERNAL', 'the archive has not been read to its end');
      return entries;
    },
  };
}

/** Asks for as much as it passes on, and ends only when it is known that nothing is missing. */
class WholeOutput extends Transform {
  readonly #run: VolumeRun;
  readonly #check: (bytes: number) => Promise<void>;
  #bytes = 0;
  #asked = 0;

  constructor(run: VolumeRun, check: (bytes: number) => Promise<void>) {
    super();
    this.#run = run;
    this.#check = check;
    run.stdin.on('error', () => {}); // told by how the run ends
    this.#ask();
  }

  override _transform(piece: Buffer, _encoding: string, done: (error: null, piece: Buffer) => void): void {
    this.#bytes += piece.length;
    hasPassed(piece.length);
    this.#ask();
    done(null, piece);
  }

  override _flush(done: (error?: Error) => void): void {
    this.#check(this.#bytes).then(() => done(), done);
  }

  #ask(): void {
    const credits = Math.floor(this.#bytes / CREDIT_BYTES) + CREDITS - this.#asked;
    if (credits > 0) this.#run.stdin.write(Buffer.alloc(credits, '.'));
    this.#asked += Math.max(0, credits);
  }
}

async function entriesOf(run: VolumeRun, bytes: number): Promise<number> {
  const end = await run.ended;
  if (end.exitCode !== 0) throw runFailure('archiving', end, 'ARCHIVE_FAILED');
  const written = BYTES.exec(end.words)?.[1];
  const entries = ENTRIES.exec(end.words)?.[1];
  if (Number(written) === bytes && entries !== undefined) return Number(entries);
  throw new BerthError('ARCHIVE_FAILED', `${bytes} bytes came of what was written: ${end.words.trim()}`);
}

function abortReason(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new Error('given up', { cause: signal.reason });
}
