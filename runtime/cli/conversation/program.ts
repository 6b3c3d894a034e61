import { signalExitCode } from '../signals.ts';

/** As `timeout` of coreutils has it. */
export const TIME_IS_UP = 124;

/** What to end with after a program that ended so. */
export function exitCodeOf(end: {
  exit_code?: number | null | undefined;
  signal?: string | undefined;
  timed_out?: boolean | undefined;
}): number {
  if (end.timed_out === true) return TIME_IS_UP;
  return end.exit_code ?? signalExitCode(end.signal ?? 'SIGKILL');
}

/** What it printed, to the byte: text stands for itself unless it is told that it does not. */
export function printed({ text, bytes }: { text: string; bytes?: string | undefined }): string | Uint8Array {
  return bytes === undefined ? text : Buffer.from(bytes, 'base64');
}
