import type { Socket } from 'node:net';

/** What the far end of a tunnel is to do: to send so many bytes, or to take them and answer with one. */
export interface BulkOrder {
  readonly way: 'down' | 'up';
  readonly bytes: number;
}

const CHUNK = Buffer.alloc(64 * 1024, 'x');

/** Sends so many bytes, as fast as they are taken. */
export function sendBytes(socket: Socket, bytes: number): void {
  let left = bytes;
  const send = (): void => {
    while (left > 0) {
      const chunk = left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK;
      left -= chunk.length;
      if (!socket.write(chunk)) {
        socket.once('drain', send);
        return;
      }
    }
  };
  send();
}

/** What reads without a new buffer for each piece; `take` is told how much came, and may look at it. */
export function readingInto(take: (bytes: number, buffer: Uint8Array) => void) {
  return {
    buffer: Buffer.allocUnsafeSlow(CHUNK.length),
    callback: (bytes: number, buffer: Uint8Array) => {
      take(bytes, buffer);
      return true;
    },
  };
}
