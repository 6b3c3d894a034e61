import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newWorkerId, parseFunctionName } from '../../../../runtime/contracts/ids.ts';
import { WorkerConnections } from '../../../../runtime/functions/calls/worker-connections.ts';
import { must } from '../../../support/must.ts';

const MINUTE = 60_000;
const worker = newWorkerId(must(parseFunctionName('f')), '00000000-0000-0000-0000-000000000000');

describe('the connections to a worker', () => {
  let server: Server;
  let asked: number;
  let closedIdle: number;
  let connections: WorkerConnections;
  beforeEach(async () => {
    server = createServer((_, answer) => answer.end('ok'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    asked = 0;
    closedIdle = 0;
    connections = new WorkerConnections({
      backend: {
        async endpoint() {
          asked += 1;
          return { kind: 'address', host: '127.0.0.1', port };
        },
      },
      onIdleClosed: () => {
        closedIdle += 1;
      },
    });
  });
  afterEach(() => {
    connections.close();
    server.closeAllConnections();
    server.close();
  });

  const call = async () => {
    const { agent, isKept } = await connections.of(worker, 8080);
    const made = request({ agent });
    made.end();
    const [answer] = await once(made, 'response');
    answer.resume();
    await once(made, 'close');
    connections.used(worker);
    return isKept;
  };

  it('are kept from call to call', async () => {
    expect(await call()).toBe(false);
    expect(await call()).toBe(true);
    connections.tidy(performance.now() + 2 * MINUTE); // there is one
    expect(await call()).toBe(true);
    expect(asked).toBe(1);
  });

  it('tell that it is gone, and are forgotten with it', async () => {
    await call();
    server.closeAllConnections();
    await expect.poll(() => closedIdle).toBe(1);
    connections.tidy(performance.now()); // it may come back
    expect(await call()).toBe(false);
    expect(asked).toBe(1);
    server.closeAllConnections();
    await expect.poll(() => closedIdle).toBe(2);
    connections.tidy(performance.now() + 2 * MINUTE);
    await call();
    expect(asked).toBe(2);
  });
});
