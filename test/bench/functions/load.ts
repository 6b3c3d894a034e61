import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Load {
  url: URL;
  token?: string;
  body: unknown;
  callers: number;
  seconds: number;
}

/**
 * Calls a second, of callers that each have one under way at any time, on a connection of its own. It spends little on a
 * call, so that the machine is left to what is measured. Throws unless every answer is a 200 with a length.
 */
export async function callsPerSecond({ url, token, body, callers, seconds }: Load): Promise<number> {
  const text = JSON.stringify(body);
  const head = [
    `POST ${url.pathname} HTTP/1.1`,
    `Host: ${url.host}`,
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ];
  const request = Buffer.from(`${head.join('\r\n')}\r\n\r\n${text}`);
  const sockets = await Promise.all(Array.from({ length: callers }, () => open(url)));
  const began = performance.now();
  const until = began + seconds * 1000;
  const counts = await Promise.all(sockets.map((socket) => callUntil(socket, request, until)));
  const elapsed = (performance.now() - began) / 1000;
  for (const socket of sockets) socket.destroy();
  return counts.reduce((sum, count) => sum + count, 0) / elapsed;
}

async function open({ hostname, port }: URL): Promise<Socket> {
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  return socket;
}

function callUntil(socket: Socket, request: Buffer, until: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let count = 0;
  let answer = '';
  socket.on('data', (chunk) => {
    answer += chunk.toString('latin1');
    const whole = isWhole(answer);
    if (whole === undefined) return;
    if (!whole) return reject(new Error(`a call was answered with ${answer}`));
    answer = '';
    count += 1;
    if (performance.now() < until) socket.write(request);
    else resolve(count);
  });
  socket.on('error', reject);
  socket.on('close', () => reject(new Error('a connection was closed')));
  socket.write(request);
  return promise;
}

/** Undefined: there is more to come. */
function isWhole(answer: string): boolean | undefined {
  const end = answer.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const length = /\r\ncontent-length: (\d+)/i.exec(answer)?.[1];
  if (!answer.startsWith('HTTP/1.1 200 ') || length === undefined) return false;
  return answer.length - end - 4 < Number(length) ? undefined : true;
}
