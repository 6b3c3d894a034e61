import { type FileHandle, open, rename } from 'node:fs/promises';
import type { Readable } from 'node:stream';

const LOG_BYTES = 1024 * 1024;
/** Two files of this size at most. */
const FILE_BYTES = 5 * 1024 * 1024;

/** Writes a container's output to a file and, when that is full, starts it anew beside the former one. */
export class OutputLog {
  readonly #path: string;
  readonly #fileBytes: number;
  #file: FileHandle | undefined;
  #size = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(path: string, fileBytes = FILE_BYTES) {
    this.#path = path;
    this.#fileBytes = fileBytes;
  }

  /** Resolves when all streams have ended. They are read no faster than the disk writes. */
  async record(streams: readonly Readable[]): Promise<void> {
    await Promise.allSettled(
      streams.map(async (stream) => {
        for await (const piece of stream) await this.#write(piece);
      }),
    );
    await this.#close();
  }

  /** What can't be written is dropped: an agent must not hang on a full disk. */
  #write(piece: Buffer): Promise<void> {
    this.#last = this.#last.then(() => this.#append(piece)).catch(() => {});
    return this.#last;
  }

  async #append(piece: Buffer): Promise<void> {
    if (this.#size > 0 && this.#size + piece.length > this.#fileBytes) {
      await this.#close();
      await rename(this.#path, `${this.#path}.1`);
    }
    if (this.#file === undefined) {
      this.#file = await open(this.#path, 'w', 0o600);
      this.#size = 0;
    }
    this.#size += piece.length;
    await this.#file.appendFile(piece);
  }

  async #close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close();
  }
}

/** The last lines written, at most 1 MiB of them. */
export async function readLog(path: string, lines: number): Promise<string> {
  let end = await endOf(path, LOG_BYTES);
  if (end.length < LOG_BYTES) end = Buffer.concat([await endOf(`${path}.1`, LOG_BYTES - end.length), end]);
  const text = end.toString().split('\n');
  const last = text.at(-1) === '' ? lines + 1 : lines;
  return lines > 0 ? text.slice(-last).join('\n') : '';
}

async function endOf(path: string, bytes: number): Promise<Buffer> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
  try {
    const { size } = await file.stat();
    const length = Math.min(size, bytes);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, size - length);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
