import { createHash } from 'node:crypto';
import { pipeline, type Readable, type Writable } from 'node:stream';
import { createZstdDecompress, type ZstdDecompress, zstdCompressSync } from 'node:zlib';
import { BerthError } from '../contracts/errors.ts';
import { LARGE_PIECE_BYTES, LargePieces } from './large-pieces.ts';
import { hasPassed } from './passing-memory.ts';
import { tarFile } from './tar-file.ts';
import type { ArchiveName } from './volume-backend.ts';
import { type RunEnd, runFailure, type VolumeRun, wasKilled } from './volume-run.ts';
import { EMPTY, RESTORING, WHOLE } from './volume-scripts.ts';

/** What the marker says. */
export function markerOf({ key, sha256 }: ArchiveName): string {
  return `${key} sha256:${sha256}`;
}

interface Task {
  run: VolumeRun;
  /** Whether the script decompresses. */
  packs: boolean;
  content: Readable;
  archive: ArchiveName;
}

/** Gives a script that restores what it unpacks, and tells it to write the marker only once the hash is right. */
export async function unpack(task: Task, signal: AbortSignal): Promise<void> {
  const { run, content } = task;
  const onAbort = () => {
    content.destroy(asError(signal.reason));
    run.remove().catch(() => {}); // once more when this is over
  };
  signal.addEventListener('abort', onAbort);
  try {
    signal.throwIfAborted();
    if (await isWhole(run)) return;
    await new Unpacking(task).run();
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** By its first line, which comes once all that was there is removed, unless it is whole. */
async function isWhole(run: VolumeRun): Promise<boolean> {
  let said = '';
  for await (const piece of run.stdout.iterator({ destroyOnReturn: false })) {
    said += piece;
    if (said.endsWith('\n')) break;
  }
  run.stdout.resume();
  if (said === WHOLE || said === EMPTY) return said === WHOLE;
  throw runFailure('emptying the volume', await run.ended, 'ARCHIVE_FAILED');
}

class Unpacking {
  readonly #task: Task;
  /** Where the script does not. */
  readonly #decompress: ZstdDecompress | undefined;
  /** Why nothing more is unpacked; whether that is the archive's fault may be for its hash to say. */
  #failed: { error: unknown; final: boolean } | undefined;

  constructor(task: Task) {
    this.#task = task;
    if (!task.packs) this.#decompress = createZstdDecompress({ chunkSize: LARGE_PIECE_BYTES });
    task.run.stdin.on('error', () => {}); // told by how the run ends
    task.run.ended.then(
      (end) => this.#onEnded(end),
      (error) => this.#fail(error, true),
    );
  }

  async run(): Promise<void> {
    const { run, content, archive, packs } = this.#task;
    const fed = this.#feed();
    const hash = createHash('sha256');
    const pieces = packs ? content : pipeline(content, new LargePieces(), () => {}); // who reads them sees what fails
    for await (const piece of pieces) {
      hash.update(piece);
      await put(this.#decompress ?? run.stdin, piece);
      if (packs) hasPassed(piece.length);
    }
    if (this.#failed?.final) throw this.#failed.error;
    if (hash.digest('hex') !== archive.sha256) throw corrupt('it hashes to another value');
    this.#decompress?.end();
    await fed;
    if (this.#failed) throw this.#failed.error;
    const marker = tarFile(`./${RESTORING}`, markerOf(archive));
    run.stdin.end(packs ? zstdCompressSync(marker) : marker);
    const end = await run.ended;
    if (end.exitCode !== 0) throw unpackFailure(end);
  }

  /** What is decompressed here, to the script. */
  async #feed(): Promise<void> {
    try {
      for await (const piece of this.#decompress ?? []) {
        await put(this.#task.run.stdin, piece);
        hasPassed(piece.length);
      }
    } catch (error) {
      if (this.#failed === undefined) this.#fail(corrupt(`it is not zstd: ${asError(error).message}`), true);
    }
  }

  #onEnded(end: RunEnd): void {
    if (end.exitCode === 0) return;
    const error = unpackFailure(end);
    this.#fail(error, wasKilled(end) || error.code === 'DISK_FULL');
  }

  #fail(error: unknown, final: boolean): void {
    this.#failed ??= { error, final };
    this.#decompress?.destroy();
    this.#task.run.stdin.destroy();
    if (final) this.#task.content.destroy(asError(error));
  }
}

/** Resolves when it takes more, or is closed and takes nothing. */
function put(stream: Writable, piece: Buffer): Promise<void> | undefined {
  if (stream.destroyed || stream.write(piece)) return undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = () => {
    stream.off('drain', done).off('close', done);
    resolve();
  };
  stream.on('drain', done).on('close', done);
  return promise;
}

const NO_TAR =
  /not look like a tar|Unexpected EOF|Skipping to next header|Malformed|end of the archive|^zstd: .*(unsupported format|premature end|corrupt|checksum)/im;

/** With the hash right, an archive that can't be read was none when it was written. */
function unpackFailure(end: RunEnd): BerthError {
  const isNone = !wasKilled(end) && NO_TAR.test(end.words);
  return runFailure('unpacking', end, isNone ? 'ARCHIVE_CORRUPT' : 'ARCHIVE_FAILED');
}

function corrupt(detail: string): BerthError {
  return new BerthError('ARCHIVE_CORRUPT', detail);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
