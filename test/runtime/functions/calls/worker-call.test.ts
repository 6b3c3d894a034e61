import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type AnswerHead, NotReached, WorkerCall } from '../../../../runtime/functions/calls/worker-call.ts';
import { UpstreamConnection } from '../../../../runtime/http1/upstream-connection.ts';

const EMPTY = { path: '/', headers: ['Host', 'function', 'Content-Length', '0'], body: undefined };

describe('a call of a worker', () => {
  let server: Server;
  let connection: UpstreamConnection;
  let kept: number;
  /** What was passed on. */
  let passed: { status: number; body: string; end: 'open' | 'whole' | 'cut' } | undefined;
  afterEach(() => {
    server.close();
    connection.destroy();
  });

  /** A worker that is told of its connection, and may say what it likes. */
  async function listen(onConnection: (socket: Socket) => void): Promise<void> {
    passed = undefined;
    kept = 0;
    server = createServer((socket) => onConnection(socket.on('error', () => {})));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    const socket = connect({ host: '127.0.0.1', port });
    await once(socket, 'connect');
    connection = new UpstreamConnection(socket, {
      keep: () => {
        kept += 1;
      },
      lose: () => {},
    });
  }
  const says = (answer: string) =>
    listen((socket) => socket.once('data', () => socket.write(answer, 'latin1')));

  const respond = ({ status }: AnswerHead) => {
    const sink: NonNullable<typeof passed> = { status, body: '', end: 'open' };
    passed = sink;
    return {
      write(bytes: Buffer, last: boolean) {
        sink.body += bytes.toString();
        if (last) sink.end = 'whole';
        return true;
      },
      cut() {
        sink.end = 'cut';
      },
    };
  };
  const call = () => new WorkerCall(connection, EMPTY, respond);
  const failed = ({ over }: WorkerCall) =>
    over.then(
      () => undefined,
      (error: Error) => error,
    );

  it('passes the answer on, and the connection is for the next', async () => {
    await says('HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\nsome');
    await call().over;
    expect(passed).toEqual({ status: 201, body: 'some', end: 'whole' });
    expect(kept).toBe(1);
    expect(connection.usable).toBe(true);
  });

  it.each(['at once', 'byte by byte'])('sends every byte of a body that comes %s, as it is', async (how) => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
    let heard = Buffer.alloc(0);
    await listen((socket) =>
      socket.on('data', (chunk) => {
        heard = Buffer.concat([heard, chunk]);
        if (heard.subarray(-bytes.length).equals(bytes))
          socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
      }),
    );
    const body = new PassThrough();
    if (how === 'at once') body.end(bytes);
    const headers = ['Host', 'function', 'Content-Length', `${bytes.length}`];
    const made = new WorkerCall(connection, { path: '/', headers, body }, respond);
    if (how !== 'at once') {
      for (const byte of bytes) {
        body.write(Buffer.of(byte));
        await new Promise(setImmediate);
      }
      body.end();
    }
    await made.over;
    expect(heard.subarray(heard.indexOf('\r\n\r\n') + 4)).toEqual(bytes);
    await finished(body, { writable: false });
  });

  it('may have been done where it fails once it was sent: it is not made at another', async () => {
    await listen((socket) => socket.once('data', () => socket.destroy()));
    const broken = await failed(call());
    expect(broken).toBeInstanceOf(Error);
    expect(broken).not.toBeInstanceOf(NotReached);
    connection.destroy();
    const never = await failed(call()); // on a connection that was lost by then
    expect(never).toBeInstanceOf(Error);
    expect(passed).toBeUndefined();
  });

  it('can be given up before its answer, and within it', async () => {
    await listen(() => {});
    const early = call();
    early.cancel(new Error('at once'));
    expect(await failed(early)).toMatchObject({ message: 'at once' });
    expect(await failed(early)).not.toBeInstanceOf(NotReached);

    await listen(() => {});
    const silent = call();
    setTimeout(() => silent.cancel(new Error('enough')), 20);
    expect((await failed(silent))?.message).toBe('enough');
    expect(silent).toMatchObject({ hasBegun: false, isCancelled: true });

    await says('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nsome');
    const begun = call();
    await expect.poll(() => passed?.body).toBe('some');
    begun.cancel(new Error('enough'));
    expect((await failed(begun))?.message).toBe('enough');
    expect(begun).toMatchObject({ hasBegun: true, isCancelled: true });
    expect(passed?.end).toBe('cut');
    expect(kept).toBe(0);
  });

  it('fails where the answer breaks off, and was not given up by who gives it up then', async () => {
    await listen((socket) =>
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nsome')),
    );
    const broken = call();
    expect((await failed(broken))?.message).toBe('it ended its answer too early');
    broken.cancel(new Error('late'));
    expect(broken.isCancelled).toBe(false);
    expect(passed).toEqual({ status: 200, body: 'some', end: 'cut' });
  });

  it('fails where its answer can not be passed on, of which nothing is then', async () => {
    await says('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nsome');
    const refused = new WorkerCall(connection, EMPTY, () => {
      throw new Error('not that');
    });
    expect((await failed(refused))?.message).toBe('not that');
    expect(refused).toMatchObject({ hasBegun: false, isCancelled: false });
    expect(connection.usable).toBe(false);
  });

  it.each([
    ['what is no HTTP', 'SSH-2.0-nothing\r\n\r\n', 'its first line is none'],
    [
      'another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'switched protocols',
    ],
    ['a head without an end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 'too long'],
  ])('fails with %s', async (_, answer, message) => {
    await says(answer);
    expect((await failed(call()))?.message).toContain(message);
    expect(passed).toBeUndefined();
  });
});
