import type { Readable, Writable } from 'node:stream';

/** Passes bytes on as fast as they are taken, and holds no more than both ends do. `ended` follows the last one. */
export function pump(from: Readable, to: Writable, ended: () => void): void {
  from.on('data', (chunk: Buffer) => {
    // What nobody takes any more is dropped, so that the end is reached.
    if (!to.destroyed && !to.write(chunk)) from.pause();
  });
  to.on('drain', () => from.resume());
  to.once('close', () => from.resume());
  from.once('end', ended);
}
