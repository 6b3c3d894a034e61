import { once } from 'node:events';
import type { Agent } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { ContainerAgent } from '../../../../runtime/containers/container-agent.ts';
import { NotReached, WorkerCall } from '../../../../runtime/functions/calls/worker-call.ts';

const EMPTY = { path: '/', headers: ['Host', 'function', 'Content-Length', '0'], body: undefined };

describe('a call of a worker', () => {
  let server: Server | undefined;
  let agent: Agent;
  afterEach(() => {
    server?.close();
    agent.destroy();
  });

  /** A worker that is told of each connection, and may say what it likes. */
  async function listen(onConnection: (socket: Socket) => void): Promise<void> {
    server = createServer((socket) => onConnection(socket.on('error', () => {})));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo; // it listens on TCP
    agent = new ContainerAgent({ kind: 'address', host: '127.0.0.1', port });
  }
  const says = (answer: string) =>
    listen((socket) => socket.once('data', () => socket.write(answer, 'latin1')));
  const failed = (call: WorkerCall) =>
    call.answer.then(
      () => undefined,
      (error: Error) => error,
    );

  it('tells apart what was never sent from what was', async () => {
    await listen(() => {});
    server?.close();
    expect(await failed(new WorkerCall(agent, EMPTY))).toBeInstanceOf(NotReached);
    agent = new ContainerAgent({ kind: 'socket', path: '/nowhere' });
    expect(await failed(new WorkerCall(agent, EMPTY))).toBeInstanceOf(NotReached);

    await listen((socket) => socket.once('data', () => socket.destroy()));
    const broken = await failed(new WorkerCall(agent, EMPTY));
    expect(broken).toBeInstanceOf(Error);
    expect(broken).not.toBeInstanceOf(NotReached);
  });

  it('can be given up before its answer, and within it', async () => {
    await listen(() => {});
    const silent = new WorkerCall(agent, EMPTY);
    setTimeout(() => silent.cancel(new Error('enough')), 20);
    expect((await failed(silent))?.message).toBe('enough');
    const early = new WorkerCall(agent, EMPTY);
    early.cancel(new Error('at once'));
    expect(await failed(early)).toMatchObject({ message: 'at once' });
    expect(await failed(early)).not.toBeInstanceOf(NotReached);

    await says('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nsome');
    const begun = new WorkerCall(agent, EMPTY);
    const message = await begun.answer;
    begun.cancel(new Error('enough'));
    await expect(text(message)).rejects.toThrow();
    expect(message.complete).toBe(false);
  });

  it.each([
    ['what is no HTTP', 'SSH-2.0-nothing\r\n\r\n', 'Parse Error'],
    [
      'another protocol',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'another kind',
    ],
    ['a head without an end', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, 'overflow'],
  ])('fails with %s', async (_, answer, message) => {
    await says(answer);
    expect((await failed(new WorkerCall(agent, EMPTY)))?.message).toContain(message);
  });
});
