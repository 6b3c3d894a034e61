import type { LogEntry } from '../../state/execution-store.ts';

const BLANK_LINE = '\n\n';
/** Runs that are shorter than this are put together. */
const JOINED_BYTES = 32 * 1024;

/** Consecutive events in the very bytes that clients get. */
export interface EventRun extends LogEntry {
  /** The agent's own number of the last event, or of the last of the agent's before it. */
  readonly agentSeq: number;
}

/** What follows event `id`, which is not the last of them. No event has a blank line within it. */
export function cutAfter<Run extends LogEntry>(run: Run, id: number): Run {
  if (id < run.first) return run;
  let start = 0;
  for (let at = run.first; at <= id; at += 1) {
    start = run.frames.indexOf(BLANK_LINE, start, 'latin1') + BLANK_LINE.length;
  }
  return { ...run, first: id + 1, frames: run.frames.subarray(start) };
}

/** The same events in fewer runs: short ones that follow each other become one. */
export function joinRuns(runs: readonly LogEntry[]): LogEntry[] {
  const joined: LogEntry[] = [];
  let some: LogEntry[] = [];
  let bytes = 0;
  for (const run of runs) {
    const follows = some.at(-1)?.last === run.first - 1;
    if (some.length > 0 && (!follows || bytes + run.frames.length > JOINED_BYTES)) {
      joined.push(asOne(some));
      some = [];
      bytes = 0;
    }
    some.push(run);
    bytes += run.frames.length;
  }
  if (some.length > 0) joined.push(asOne(some));
  return joined;
}

/** One piece of memory; not a copy where it is one already. */
export function joinFrames(pieces: readonly Buffer[]): Buffer {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}

function asOne(runs: readonly LogEntry[]): LogEntry {
  return {
    first: runs[0]?.first ?? 0,
    last: runs.at(-1)?.last ?? 0,
    frames: joinFrames(runs.map(({ frames }) => frames)),
  };
}
