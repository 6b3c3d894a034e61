import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';

/** Accepts a WebSocket by hand. */
export function accept(request: IncomingMessage, socket: Duplex, headers: string[] = []): void {
  const key = `${request.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`;
  const answer = createHash('sha1').update(key).digest('base64');
  socket.write(
    ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: websocket', ...headers]
      .concat(`Sec-WebSocket-Accept: ${answer}`, '', '')
      .join('\r\n'),
  );
}

export interface Frame {
  kind: 'text' | 'close' | 'other';
  payload: Buffer;
}

/** A frame of a server: unmasked, whole. */
export function frame(kind: 'text' | 'close', payload: Buffer | string): Buffer {
  const bytes = Buffer.from(payload as string); // the cast: both are taken
  const first = 0x80 | (kind === 'text' ? 1 : 8);
  const short = bytes.length < 126;
  const head = Buffer.from(short ? [first, bytes.length] : [first, 126, 0, 0]);
  if (!short) head.writeUInt16BE(bytes.length, 2);
  return Buffer.concat([head, bytes]);
}

export function closing(code: number, reason = ''): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  return frame('close', Buffer.concat([payload, Buffer.from(reason)]));
}

/** Reads the frames of a client, each shorter than 64 KiB. */
export function onFrames(socket: Duplex, take: (frame: Frame) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (;;) {
      if (rest.length < 2) return;
      const short = (rest[1] ?? 0) & 127;
      const at = short === 126 ? 4 : 2;
      if (rest.length < at + 4) return;
      const length = short === 126 ? rest.readUInt16BE(2) : short;
      if (rest.length < at + 4 + length) return;
      const mask = rest.subarray(at, at + 4);
      const payload = Buffer.from(rest.subarray(at + 4, at + 4 + length)).map(
        (byte, n) => byte ^ (mask[n % 4] ?? 0),
      );
      const code = (rest[0] ?? 0) & 15;
      rest = rest.subarray(at + 4 + length);
      take({ kind: code === 1 ? 'text' : code === 8 ? 'close' : 'other', payload: Buffer.from(payload) });
    }
  });
}
