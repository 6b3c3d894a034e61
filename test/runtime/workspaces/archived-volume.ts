import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { zstdCompressSync } from 'node:zlib';
import type { ArchiveName, VolumeBackend } from '../../../runtime/containers/volume-backend.ts';
import { BerthError } from '../../../runtime/contracts/errors.ts';

/** A home as tar makes it, in zstd, and how many entries it has. */
export function archivedHome(content: string | Buffer = 'kept'): { bytes: Buffer; entries: number } {
  const folder = mkdtempSync(join(tmpdir(), 'berth-home-'));
  try {
    mkdirSync(join(folder, 'notes'));
    writeFileSync(join(folder, 'notes', 'first'), content);
    writeFileSync(join(folder, 'notes', 'empty'), '');
    const { stdout, status } = spawnSync('tar', ['-C', folder, '-cf', '-', '.'], {
      maxBuffer: 64 * 1024 ** 2,
    });
    if (status !== 0) throw new Error('tar failed');
    return { bytes: zstdCompressSync(stdout), entries: 4 };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** A volume whose archive is what it is given, and that keeps what it is filled with. */
export class ArchivedVolume implements VolumeBackend {
  restored: { bytes: Buffer; archive: ArchiveName } | undefined;
  readonly #content: () => Readable;
  readonly #entries: number;

  constructor(content: () => Readable, entries: number) {
    this.#content = content;
    this.#entries = entries;
  }

  async archive() {
    return { content: this.#content(), entries: () => this.#entries };
  }

  async restore(_name: unknown, content: Readable, archive: ArchiveName): Promise<void> {
    const bytes = await buffer(content);
    if (createHash('sha256').update(bytes).digest('hex') !== archive.sha256)
      throw new BerthError('ARCHIVE_CORRUPT', 'it hashes to something else');
    this.restored = { bytes, archive };
  }

  async provision() {}
  async delete() {}
  find = async () => undefined;
  list = async () => [];
}
