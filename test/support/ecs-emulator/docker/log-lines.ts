import type { LogLine } from '../tasks/task-backing.ts';

const HEADER_BYTES = 8;

/** The lines of the engine's log with time stamps, of both streams in the order of time. */
export function logLines(frames: Buffer): LogLine[] {
  const lines: LogLine[] = [];
  let from = 0;
  while (from + HEADER_BYTES <= frames.length) {
    const length = frames.readUInt32BE(from + 4);
    const text = frames.toString('utf8', from + HEADER_BYTES, from + HEADER_BYTES + length);
    from += HEADER_BYTES + length;
    const blank = text.indexOf(' ');
    lines.push({ at: Date.parse(text.slice(0, blank)), text: text.slice(blank + 1).replace(/\r?\n$/, '') });
  }
  return lines.sort((a, b) => a.at - b.at);
}
