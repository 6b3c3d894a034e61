import { existsSync } from 'node:fs';

/** Whether the system shows processes and open files under `/proc`, as Linux does. */
export const HAS_PROC = existsSync('/proc/self/fd');

/** A path that names what a descriptor has open, whatever its own name is or means by now. */
export function descriptorPath(fd: number): string {
  return `/proc/self/fd/${fd}`;
}
