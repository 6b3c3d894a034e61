import type { Readable, Writable } from 'node:stream';
import { BerthError, type ErrorCode } from '../contracts/errors.ts';
import type { VolumeName } from '../contracts/ids.ts';

export interface VolumeJob {
  volume: VolumeName;
  script: string;
  args: string[];
}

/** A script at work on the files of one volume, wherever the adapter runs it: it sees nothing else, and has no network. */
export interface VolumeRun {
  /** Its end tells the script that nobody waits for it any more. */
  stdin: Writable;
  stdout: Readable;
  /** Once it has ended and all that it said was read. Rejects with `BACKEND_UNAVAILABLE`. */
  ended: Promise<RunEnd>;
  /** Kills it if it runs. Resolves once nothing of it is left. */
  remove(): Promise<void>;
}

export interface RunEnd {
  exitCode: number;
  /** The last of what it said on stderr. */
  words: string;
}

/** As much of stderr as is kept. */
export const LAST_WORDS_BYTES = 4096;

/** By a signal, whoever sent it: nothing is to be learned from it of what the script was given. */
export function wasKilled({ exitCode }: RunEnd): boolean {
  return exitCode >= 128;
}

const FULL = /: (No space left on device|Disk quota exceeded)$/m;
const SHOWN_LINES = 5;

/** How a script that did not end well failed. */
export function runFailure(doing: string, end: RunEnd, code: ErrorCode): BerthError {
  const words = end.words.trim().split('\n').slice(-SHOWN_LINES).join('\n');
  const detail = `${doing} ended with exit code ${end.exitCode}${words === '' ? '' : `: ${words}`}`;
  return new BerthError(FULL.test(end.words) ? 'DISK_FULL' : code, detail);
}
