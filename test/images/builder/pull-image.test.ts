import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type Docker from 'dockerode';
import { afterEach, expect, it } from 'vitest';
import { connectEngine } from '../../../images/builder/engine.ts';
import { pullImage } from '../../../images/builder/pull-image.ts';

let server: Server;
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

/** An engine that answers a pull as it is told. */
async function engineThat(answer: RequestListener): Promise<Docker> {
  server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return connectEngine(`tcp://127.0.0.1:${port}`);
}

it('gives up on a registry that the engine does not reach', async () => {
  const engine = await engineThat(() => {});
  await expect(pullImage(engine, 'base:1', () => {}, 100)).rejects.toThrow('did not answer in 0.1 s');
});

it('gives up on a download that stops', async () => {
  const engine = await engineThat((_, response) => {
    response.write('{"status":"Downloading"}\n');
  });
  await expect(pullImage(engine, 'base:1', () => {}, 100)).rejects.toThrow('did not answer in 0.1 s');
});

it('waits for a slow download that goes on', async () => {
  const engine = await engineThat((_, response) => {
    let left = 8;
    const timer = setInterval(() => {
      response.write('{"status":"Downloading"}\n');
      if (--left > 0) return;
      clearInterval(timer);
      response.end();
    }, 50);
  });
  await expect(pullImage(engine, 'base:1', () => {}, 250)).resolves.toBeUndefined();
});

it('tells what the engine says of a failure within the stream', async () => {
  const engine = await engineThat((_, response) => {
    response.end('{"status":"Pulling"}\n{"error":"manifest unknown"}\n');
  });
  await expect(pullImage(engine, 'base:1', () => {})).rejects.toThrow('manifest unknown');
});
