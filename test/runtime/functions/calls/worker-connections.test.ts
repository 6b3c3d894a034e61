import { once } from 'node:events';
import type { Agent } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ContainerId, newWorkerId } from '../../../../runtime/contracts/ids.ts';
import { WorkerCall } from '../../../../runtime/functions/calls/worker-call.ts';
import { WorkerConnections } from '../../../../runtime/functions/calls/worker-connections.ts';
import { LocalWorkers } from '../../../support/local-workers.ts';
import { functionName } from '../definitions/function-parts.ts';

describe('connections to workers', () => {
  const worker = newWorkerId(functionName());
  let backend: LocalWorkers;
  let connections: WorkerConnections;
  let closed: ContainerId[];
  let ports: (number | undefined)[];
  let hangUp: boolean;

  beforeEach(async () => {
    closed = [];
    ports = [];
    hangUp = false;
    backend = new LocalWorkers(() => (request, response) => {
      ports.push(request.socket.remotePort);
      response.end();
      if (hangUp) response.once('finish', () => setTimeout(() => request.socket.destroy(), 20));
    });
    await backend.create({
      ...{ id: worker, role: 'function', image: 'i', env: {}, labels: {}, network: 'none' },
      limits: { cpus: 1, memoryBytes: 1, pids: 1 },
    });
    connections = new WorkerConnections({ backend, onIdleClosed: (id) => void closed.push(id) });
  });
  afterEach(async () => {
    connections.close();
    await backend.close();
  });

  async function call(): Promise<void> {
    const { agent } = await connections.of(worker, 8080);
    const freed = once(agent satisfies Agent, 'free');
    const empty = { path: '/', headers: ['Host', 'function', 'Content-Length', '0'], body: undefined };
    await text(await new WorkerCall(agent, empty).answer);
    connections.used(worker);
    await freed;
  }

  it('are kept from call to call', async () => {
    for (let index = 0; index < 3; index += 1) await call();
    expect(new Set(ports).size).toBe(1);
    expect(closed).toEqual([]);
  });

  it('tell when the worker closes the one that nobody uses', async () => {
    hangUp = true;
    await call();
    await expect.poll(() => closed).toEqual([worker]);
  });

  it('tell nothing of one that is forgotten, and it is dialled anew', async () => {
    await call();
    connections.forget(worker);
    await call();
    expect(new Set(ports).size).toBe(2);
    expect(closed).toEqual([]);
  });

  it('are not made to a worker that there is not', async () => {
    await backend.destroy(worker);
    await expect(connections.of(worker, 8080)).rejects.toMatchObject({ code: 'CONTAINER_NOT_FOUND' });
  });
});
