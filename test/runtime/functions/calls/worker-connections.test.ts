import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Endpoint } from '../../../../runtime/containers/container-backend.ts';
import { BerthError } from '../../../../runtime/contracts/errors.ts';
import { type ContainerId, newWorkerId } from '../../../../runtime/contracts/ids.ts';
import { NotReached, WorkerCall } from '../../../../runtime/functions/calls/worker-call.ts';
import { WorkerConnections } from '../../../../runtime/functions/calls/worker-connections.ts';
import { IDLE_PATH, WorkerProbe } from '../../../../runtime/functions/pool/worker-probe.ts';
import { LocalWorkers } from '../../../support/local-workers.ts';
import { functionName } from '../definitions/function-parts.ts';

const MINUTE = 60_000;

describe('connections to workers', () => {
  const worker = newWorkerId(functionName());
  let backend: LocalWorkers;
  let connections: WorkerConnections;
  let closed: ContainerId[];
  /** Of calls and questions, by the connection they came on. */
  let seen: { port: number | undefined; asks: boolean }[];
  let hangUp: boolean;
  /** How often it was asked where the worker is: on some backends that is a call to an API. */
  let located: number;

  beforeEach(async () => {
    closed = [];
    seen = [];
    hangUp = false;
    located = 0;
    backend = new LocalWorkers(() => (request, response) => {
      seen.push({ port: request.socket.remotePort, asks: request.url === IDLE_PATH });
      response.end('ok');
      if (hangUp) response.once('finish', () => setTimeout(() => request.socket.destroy(), 20));
    });
    await backend.create({
      ...{ id: worker, role: 'function', image: 'i', env: {}, labels: {}, network: 'none' },
      limits: { cpus: 1, memoryBytes: 1, pids: 1 },
    });
    connections = new WorkerConnections({
      backend: {
        endpoint(id) {
          located += 1;
          return backend.endpoint(id);
        },
      },
      probe: new WorkerProbe(),
      onIdleClosed: (id) => void closed.push(id),
    });
  });
  afterEach(async () => {
    connections.close();
    await backend.close();
  });

  async function call(): Promise<void> {
    const connection = await connections.take(worker, 8080);
    const empty = { path: '/', headers: ['Host', 'function', 'Content-Length', '0'], body: undefined };
    await new WorkerCall(connection, empty, () => ({ write: () => true, cut() {} })).over;
  }
  const ports = () => new Set(seen.filter(({ asks }) => !asks).map(({ port }) => port)).size;
  const questions = () => seen.filter(({ asks }) => asks).length;

  it('are kept from call to call, and it is asked before the first', async () => {
    for (let index = 0; index < 3; index += 1) await call();
    expect(seen.map(({ asks }) => asks)).toEqual([true, false, false, false]);
    expect(ports()).toBe(1);
    expect(closed).toEqual([]);
    expect(located).toBe(1);
  });

  it('tell when the worker closes the one that nobody uses, which is dialled anew', async () => {
    await call();
    hangUp = true;
    await call();
    await expect.poll(() => closed).toEqual([worker]);
    hangUp = false;
    connections.tidy(performance.now()); // it may come back
    await call();
    expect({ ports: ports(), questions: questions() }).toEqual({ ports: 2, questions: 2 });
    expect(located).toBe(1);
  });

  it('tell nothing of one that is forgotten, which is dialled anew', async () => {
    await call();
    connections.forget(worker);
    await call();
    expect({ ports: ports(), questions: questions() }).toEqual({ ports: 2, questions: 2 });
    expect(closed).toEqual([]);
  });

  it('are closed without a word when they were not used for long', async () => {
    await call();
    connections.tidy(performance.now());
    await call();
    expect(ports()).toBe(1);
    connections.tidy(performance.now() + 2 * MINUTE);
    await call();
    expect(ports()).toBe(2);
    expect(closed).toEqual([]);
    expect(located).toBe(2);
  });

  it('are not made to a worker that there is not', async () => {
    await backend.destroy(worker);
    await expect(connections.take(worker, 8080)).rejects.toBeInstanceOf(BerthError);
    await expect(connections.take(worker, 8080)).rejects.toMatchObject({ code: 'CONTAINER_NOT_FOUND' });
  });

  describe('where its program', () => {
    let server: Server;
    let endpoint: Endpoint;
    const at = () =>
      new WorkerConnections({
        backend: { endpoint: async () => endpoint },
        probe: new WorkerProbe(),
        onIdleClosed: () => {},
      });
    async function listen(onConnection: (socket: Socket) => void): Promise<void> {
      server = createServer((socket) => onConnection(socket.on('error', () => {})));
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as { port: number }; // it listens on TCP
      endpoint = { kind: 'address', host: '127.0.0.1', port };
    }
    afterEach(() => server.close());

    it.each<[string, (socket: Socket) => void]>([
      ['closes at once', (socket) => socket.destroy()],
      ['closes when it is asked', (socket) => socket.once('data', () => socket.end())],
      ['speaks before it is asked', (socket) => socket.write('220 hello\r\n')],
      ['speaks no HTTP', (socket) => socket.once('data', () => socket.write('what?\r\n\r\n'))],
    ])('%s, no call is sent', async (_, onConnection) => {
      await listen(onConnection);
      await expect(at().take(worker, 8080)).rejects.toBeInstanceOf(NotReached);
    });

    it('says nothing to what it does not know, it is called all the same', async () => {
      let asked = 0;
      await listen((socket) =>
        socket.on('data', (bytes) => {
          if (bytes.toString().startsWith('GET')) asked += 1;
          else socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
        }),
      );
      const connections = at();
      for (let index = 0; index < 2; index += 1) {
        const connection = await connections.take(worker, 8080);
        const empty = { path: '/', headers: ['Host', 'function', 'Content-Length', '0'], body: undefined };
        await new WorkerCall(connection, empty, () => ({ write: () => true, cut() {} })).over;
      }
      expect(asked).toBe(2);
      connections.close();
    });

    it('does not listen, no call is sent', async () => {
      await listen(() => {});
      server.close();
      await expect(at().take(worker, 8080)).rejects.toBeInstanceOf(NotReached);
      endpoint = { kind: 'socket', path: '/nowhere' };
      await expect(at().take(worker, 8080)).rejects.toBeInstanceOf(NotReached);
    });
  });
});
