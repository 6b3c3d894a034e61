import { BerthError } from '../contracts/errors.ts';
import type { LogEntry } from './execution-store.ts';

const ENTRY_BYTES = 128 * 1024;

/** Throws at entries that no relay may make: out of order, or too large. */
export function checkEntries(entries: LogEntry[], after = 0): void {
  let last = after;
  for (const entry of entries) {
    if (entry.first <= last || entry.last < entry.first) {
      throw new BerthError('INTERNAL', `Events ${entry.first} to ${entry.last} do not follow event ${last}.`);
    }
    last = entry.last;
    const bytes = entry.frames.length;
    if (bytes > ENTRY_BYTES) {
      throw new BerthError('INTERNAL', `An entry of ${bytes} bytes is more than ${ENTRY_BYTES}.`);
    }
  }
}
