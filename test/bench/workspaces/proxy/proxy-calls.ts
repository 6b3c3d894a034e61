import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { timed } from '../../figure.ts';

/** A way to the program: straight, or by a proxy. */
export interface Way {
  port: number;
  /** What comes before its paths. */
  prefix: string;
  headers: Record<string, string>;
}

/** Sends bytes as fast as they are taken. */
const CHUNK = Buffer.alloc(64 * 1024, 'x');

/** A client with one connection, which it keeps. */
export class ProxyClient implements Disposable {
  readonly #way: Way;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(way: Way) {
    this.#way = way;
  }

  /** How long each of so many small requests takes, one after the other. */
  async small(count: number): Promise<number[]> {
    const times: number[] = [];
    for (let done = 0; done < count; done += 1)
      times.push(await timed(async () => read(await this.#send('GET', '/small'))));
    return times;
  }

  async megabytesPerSecondDown(bytes: number): Promise<number> {
    const ms = await timed(async () => {
      const got = await read(await this.#send('GET', `/down?bytes=${bytes}`));
      if (got.bytes !== bytes) throw new Error(`${got.bytes} of ${bytes} bytes came`);
    });
    return bytes / 1e3 / ms;
  }

  async megabytesPerSecondUp(bytes: number): Promise<number> {
    const ms = await timed(async () => {
      const got = await read(await this.#send('POST', '/up', bytes));
      if (Number(got.first) !== bytes) throw new Error(`${got.first} of ${bytes} bytes were taken`);
    });
    return bytes / 1e3 / ms;
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  async #send(method: string, path: string, bytes = 0): Promise<IncomingMessage> {
    const { port, prefix, headers } = this.#way;
    const sent = request({
      host: '127.0.0.1',
      port,
      agent: this.#agent,
      method,
      path: `${prefix}${path}`,
      headers: { ...headers, ...(bytes === 0 ? {} : { 'content-length': bytes }) },
    });
    const answered = once(sent, 'response');
    for (let left = bytes; left > 0 && !sent.destroyed; left -= CHUNK.length)
      if (!sent.write(left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK)) await once(sent, 'drain');
    sent.end();
    const [answer]: IncomingMessage[] = await answered;
    if (answer?.statusCode !== 200) throw new Error(`${path} was answered with ${answer?.statusCode}`);
    return answer;
  }
}

/** How much it was, and how it began. */
async function read(answer: IncomingMessage): Promise<{ bytes: number; first: string }> {
  let [bytes, first] = [0, ''];
  answer.on('data', (chunk: Buffer) => {
    if (bytes === 0) first = chunk.subarray(0, 20).toString('latin1');
    bytes += chunk.length;
  });
  await once(answer, 'end');
  return { bytes, first };
}

/** Opens a WebSocket and waits for an echo, so that it was used once in both directions. */
export async function openWebSocket({ port, prefix, headers }: Way): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' });
  const lines = [`GET ${prefix}/socket HTTP/1.1`, `Host: 127.0.0.1:${port}`, 'Connection: Upgrade'];
  lines.push(
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  );
  lines.push(...Object.entries(headers).map(([name, value]) => `${name}: ${value}`), '', '');
  socket.write(lines.join('\r\n'));
  const [answer]: Buffer[] = await once(socket, 'data');
  if (!answer?.toString('latin1').startsWith('HTTP/1.1 101 ')) throw new Error(`no WebSocket: ${answer}`);
  socket.write(Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69]));
  await once(socket, 'data');
  socket.on('error', () => {}); // it is cut at the end
  return socket;
}
