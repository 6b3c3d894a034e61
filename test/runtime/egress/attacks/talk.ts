import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '../proxy/proxy-fixture.ts';

const BETWEEN_PIECES_MS = 20;

export interface Talk {
  /** All that came, in Latin-1. */
  received: string;
  closed: boolean;
}

/** Sends the pieces to a socket, and hears until the proxy closes it or `enough` has come. */
export async function talk(
  socketPath: string,
  pieces: readonly string[],
  enough: (received: string) => boolean,
): Promise<Talk> {
  const socket = connect({ path: socketPath, allowHalfOpen: true });
  const heard = { received: '', closed: false };
  socket.on('data', (chunk) => {
    heard.received += chunk.toString('latin1');
  });
  const close = () => {
    heard.closed = true;
  };
  socket.on('end', close).on('close', close).on('error', close);
  try {
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) await pause(BETWEEN_PIECES_MS);
      if (heard.closed) break;
      socket.write(Buffer.from(piece, 'latin1'));
    }
    await until(() => heard.closed || enough(heard.received));
    return heard;
  } finally {
    socket.destroy();
  }
}

/** Whether one answer is there with all of its body. */
export function isWhole(received: string): boolean {
  const head = received.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received)?.[1];
  if (/\r\ntransfer-encoding: chunked\r\n/i.test(received)) return received.endsWith('\r\n0\r\n\r\n');
  return head >= 0 && length !== undefined && received.length >= head + 4 + Number(length);
}
