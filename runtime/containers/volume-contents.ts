import type { Readable } from 'node:stream';
import type { VolumeName } from '../contracts/ids.ts';
import { archiveStream } from './volume-archive.ts';
import { type ArchiveName, type ArchiveStream, volumeNotFound } from './volume-backend.ts';
import { markerOf, unpack } from './volume-restore.ts';
import type { VolumeJob, VolumeRun } from './volume-run.ts';
import { ARCHIVE, RESTORE } from './volume-scripts.ts';

/** Ends what another call is doing to the volume, then starts. Undefined: there is no such volume of ours. */
type StartRun = (job: VolumeJob, signal: AbortSignal) => Promise<VolumeRun | undefined>;

/** Takes the files of volumes out and brings them back, by scripts that the adapter runs wherever those files are. */
export class VolumeContents {
  readonly #startRun: StartRun;
  readonly #archiveScript: string;

  constructor(startRun: StartRun, archiveScript = ARCHIVE) {
    this.#startRun = startRun;
    this.#archiveScript = archiveScript;
  }

  async archive(volume: VolumeName, signal: AbortSignal): Promise<ArchiveStream> {
    const run = await this.#start({ volume, script: this.#archiveScript, args: [] }, signal);
    return archiveStream(run, signal);
  }

  async restore(
    volume: VolumeName,
    content: Readable,
    archive: ArchiveName,
    signal: AbortSignal,
  ): Promise<void> {
    const run = await this.#start({ volume, script: RESTORE, args: [markerOf(archive)] }, signal);
    try {
      await unpack(run, content, archive, signal);
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
