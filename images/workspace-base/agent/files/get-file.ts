import { closeSync, read } from 'node:fs';
import { promisify } from 'node:util';
import type { Call } from '../agent.ts';
import { writePiece } from '../http/body-writer.ts';
import { openFile } from './open-inside.ts';
import { requestedPath } from './requested-path.ts';

const readAsync = promisify(read);

const CHUNK_BYTES = 256 * 1024;

/** Sends a file as long as it was when it was opened; one that shrinks meanwhile is cut off, not padded. */
export async function getFile(call: Call): Promise<void> {
  const { agent, req, res } = call;
  const { fd, stats } = openFile(agent.root, requestedPath(call), 'follow');
  try {
    res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': stats.size });
    const buffer = Buffer.allocUnsafeSlow(Math.min(stats.size, CHUNK_BYTES));
    let left = req.method === 'HEAD' ? 0 : stats.size;
    while (left > 0) {
      const { bytesRead } = await readAsync(fd, buffer, 0, Math.min(left, buffer.length), null);
      if (bytesRead === 0) throw new Error('the file has become shorter');
      await writePiece(res, buffer.subarray(0, bytesRead));
      left -= bytesRead;
    }
    res.end();
  } finally {
    closeSync(fd);
  }
}
