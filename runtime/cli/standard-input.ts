import { fstatSync } from 'node:fs';
import { Failure } from './command-spec.ts';

const SAY_AFTER_MS = 2000;

/** Whether someone gave it: a file or a pipe. A terminal, `/dev/null` and nothing at all are not. */
export function hasInput(): boolean {
  try {
    const stats = fstatSync(0);
    return stats.isFIFO() || stats.isFile() || stats.isSocket();
  } catch {
    return false; // it is closed
  }
}

/** All of it, up to so many bytes. `onWait` is called when nothing has come for a while: someone may not know why. */
export async function readInput(most: number, onWait: () => void = () => undefined): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const timer = setTimeout(onWait, SAY_AFTER_MS);
  try {
    for await (const chunk of process.stdin) {
      clearTimeout(timer);
      bytes += chunk.length;
      if (bytes > most) throw new Failure(`standard input is over ${most} bytes; copy it in with berth cp`);
      chunks.push(chunk);
    }
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks);
}

/** The same as text. Bytes that are none would arrive as others. */
export function asText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure('standard input is no UTF-8 text; copy it in with berth cp');
  }
}
