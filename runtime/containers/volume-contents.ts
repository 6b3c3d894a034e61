import type { Readable } from 'node:stream';
import type { VolumeName } from '../contracts/ids.ts';
import { archiveStream } from './volume-archive.ts';
import { type ArchiveName, type ArchiveStream, volumeNotFound } from './volume-backend.ts';
import { markerOf, unpack } from './volume-restore.ts';
import type { VolumeJob, VolumeRun } from './volume-run.ts';
import { ARCHIVE, PACKED_ARCHIVE, PACKED_RESTORE, RESTORE } from './volume-scripts.ts';

/** Ends what another call is doing to the volume, then starts. Undefined: there is no such volume of ours. */
type StartRun = (job: VolumeJob, signal: AbortSignal) => Promise<VolumeRun | undefined>;

interface Place {
  /** Runs before an archive is made, in the same script. */
  prepare?: string;
  /** The scripts have zstd there, and compress: less is carried, and by a program of C. */
  packs: boolean;
}

/** Takes the files of volumes out and brings them back, by scripts that the adapter runs wherever those files are. */
export class VolumeContents {
  readonly #startRun: StartRun;
  readonly #place: Place;

  constructor(startRun: StartRun, place: Place) {
    this.#startRun = startRun;
    this.#place = place;
  }

  async archive(volume: VolumeName, signal: AbortSignal): Promise<ArchiveStream> {
    const { packs, prepare = '' } = this.#place;
    const script = prepare + (packs ? PACKED_ARCHIVE : ARCHIVE);
    const run = await this.#start({ volume, script, args: [] }, signal);
    return archiveStream(run, packs, signal);
  }

  async restore(
    volume: VolumeName,
    content: Readable,
    archive: ArchiveName,
    signal: AbortSignal,
  ): Promise<void> {
    const { packs } = this.#place;
    const script = packs ? PACKED_RESTORE : RESTORE;
    const run = await this.#start({ volume, script, args: [markerOf(archive)] }, signal);
    try {
      await unpack({ run, packs, content, archive }, signal);
    } finally {
      await run.remove().catch(() => {}); // the next call on the volume does it
    }
  }

  async #start(job: VolumeJob, signal: AbortSignal): Promise<VolumeRun> {
    signal.throwIfAborted();
    const run = await this.#startRun(job, signal);
    if (run === undefined) throw volumeNotFound(job.volume);
    return run;
  }
}
