import type { ServerResponse } from 'node:http';

/** The client has left: there is nobody to answer. */
export class ClientGone extends Error {}

/**
 * Writes a piece of a body and waits until it is on its way: a slow reader slows the writer down, and
 * the piece's memory can be used again. Throws once the reader has gone.
 */
export function writePiece(res: ServerResponse, piece: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    res.write(piece, (error) => (error ? reject(new ClientGone()) : resolve()));
  });
}
