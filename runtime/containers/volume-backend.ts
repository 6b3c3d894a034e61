import type { Readable } from 'node:stream';
import { BerthError } from '../contracts/errors.ts';
import type { VolumeName } from '../contracts/ids.ts';

/**
 * What keeps the files of containers that come and go. Calls throw `BACKEND_UNAVAILABLE` when the engine can't be
 * reached. Nothing whose installation label is not ours is ever used, changed or removed.
 */
export interface VolumeBackend {
  /** Makes an empty one; one that is there stays as it is. Throws `VOLUME_CREATE_FAILED`, also where the name is another's. */
  provision(name: VolumeName): Promise<void>;

  /** What tells it from every earlier and later one of its name. Undefined: there is none. */
  find(name: VolumeName): Promise<VolumeIncarnation | undefined>;

  /** All of this installation, with one call. */
  list(): Promise<VolumeName[]>;

  /**
   * Removes it with all that is in it. Absent: fine; so is one that has the name of the given one by now, which stays,
   * however long ago that was found. Throws `VOLUME_IN_USE` while a container has it.
   */
  delete(name: VolumeName, incarnation?: VolumeIncarnation): Promise<void>;

  /**
   * All that is in it as tar in zstd: owners, modes, links and holes as they are. The marker of a restore is left out.
   * Nothing may write to it meanwhile. Throws `VOLUME_NOT_FOUND`.
   */
  archive(name: VolumeName, signal: AbortSignal): Promise<ArchiveStream>;

  /**
   * Takes away all that is in it and unpacks what `archive` gave; last comes the marker. One that has this archive's
   * marker already is left as it is. What another call is doing to the same volume is ended first.
   * Throws `VOLUME_NOT_FOUND`, `ARCHIVE_CORRUPT` (another hash, or no archive), `DISK_FULL`, or what `content` fails with.
   */
  restore(name: VolumeName, content: Readable, archive: ArchiveName, signal: AbortSignal): Promise<void>;
}

/** Means nothing to anybody but the backend that it is of. */
export type VolumeIncarnation = string & { readonly __brand: 'VolumeIncarnation' };

export function volumeNotFound(name: VolumeName): BerthError {
  return new BerthError('VOLUME_NOT_FOUND', `there is no volume ${name}`);
}

export interface ArchiveStream {
  /** Ends only once everything is in it; whatever goes wrong before is its `error`. */
  content: Readable;
  /** How many entries it has, known once the content has ended. */
  entries(): number;
}

export interface ArchiveName {
  /** Tells it from every other archive. */
  key: string;
  /** Of its bytes, in hex. */
  sha256: string;
}
