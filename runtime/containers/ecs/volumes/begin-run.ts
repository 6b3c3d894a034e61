import { once } from 'node:events';
import type { Socket } from 'node:net';
import { BerthError } from '../../../contracts/errors.ts';

const ANSWER_MS = 10_000;
const MOST_BYTES = 4 * 1024;
const HEAD_END = '\r\n\r\n';
const PROBE_MS = 10_000;

/**
 * Has the program at the other end (images/workspace-base/volume), which has proved what it is, run a script: from then on
 * the connection is the script's.
 */
export async function beginRun(
  socket: Socket,
  token: string,
  { script, args }: { script: string; args: string[] },
): Promise<void> {
  const run = Buffer.from(JSON.stringify({ script, args })).toString('base64');
  socket.setKeepAlive(true, PROBE_MS);
  socket.write(
    [
      'GET /run HTTP/1.1',
      'host: volume',
      `authorization: Bearer ${token}`,
      'connection: Upgrade',
      'upgrade: berth-volume',
      `x-berth-run: ${run}`,
      '',
      '',
    ].join('\r\n'),
  );
  const head = await readHead(socket);
  if (!head.startsWith('HTTP/1.1 101 ')) {
    socket.destroy();
    throw new BerthError(
      'BACKEND_UNAVAILABLE',
      `the volume's helper refuses the run: ${head.split('\r\n')[0]}`,
    );
  }
}

/** What came behind it stays on the socket. */
async function readHead(socket: Socket): Promise<string> {
  let read = Buffer.alloc(0);
  const late = AbortSignal.timeout(ANSWER_MS);
  try {
    for (;;) {
      const end = read.indexOf(HEAD_END);
      if (end >= 0) {
        const rest = read.subarray(end + HEAD_END.length);
        if (rest.length > 0) socket.unshift(rest);
        return read.subarray(0, end).toString('latin1');
      }
      if (read.length > MOST_BYTES || socket.readableEnded || socket.destroyed)
        throw new Error('it gives no answer');
      const piece: Buffer | null = socket.read();
      if (piece === null)
        await Promise.race([once(socket, 'readable', { signal: late }), once(socket, 'close')]);
      else read = Buffer.concat([read, piece]);
    }
  } catch (error) {
    socket.destroy();
    const detail = `the volume's helper does not begin the run: ${error}`;
    throw new BerthError('BACKEND_UNAVAILABLE', detail, {}, error);
  }
}
