import { once } from 'node:events';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { expect, it } from 'vitest';
import { FUNCTION_SERVICES, FunctionCluster } from '../support/function-cluster.ts';
import { describeWith, objectStore, postgres, redis } from '../support/services/provided.ts';

/** Tries every target by itself and through its proxy, and tells what it has for a network. */
const TRIES = `import { readdirSync } from 'node:fs';
  import { request } from 'node:http';
  import { connect } from 'node:net';
  const proxy = new URL(process.env.HTTP_PROXY);
  const directly = ({ host, port }) => new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2000 });
    const settle = (word) => { socket.destroy(); resolve(word); };
    socket.on('connect', () => settle('connected'));
    socket.on('timeout', () => settle('timeout'));
    socket.on('error', (error) => settle(error.code));
  });
  const proxied = ({ host, port }) => new Promise((resolve) => {
    const path = 'http://' + host + ':' + port + '/';
    const call = request({ host: proxy.hostname, port: proxy.port, path, headers: { host } }, (answer) => {
      resolve(answer.statusCode);
      answer.resume();
    });
    call.on('error', (error) => resolve(error.code));
    call.end();
  });
  export default async ({ targets }) => ({
    directly: await Promise.all(targets.map(directly)),
    proxied: await Promise.all(targets.map(proxied)),
    interfaces: readdirSync('/sys/class/net'),
  });`;

describeWith(FUNCTION_SERVICES, 'a program in a worker', () => {
  it('reaches no other worker, no store, no database, not the API and no metadata: only its way out', async () => {
    await using here = await FunctionCluster.open();
    const runtime = await here.cluster.start();
    let reached = 0;
    await using listener = createServer((socket) => {
      reached += 1;
      socket.on('error', () => {});
      socket.end('reached');
    });
    listener.listen(0, '0.0.0.0');
    await once(listener, 'listening');
    const { port } = listener.address() as { port: number }; // of a TCP server it is never a text
    const addresses = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .filter(({ family }) => family === 'IPv4')
      .map(({ address }) => address);
    const services = [redis().url, postgres().url, objectStore().endpoint, runtime.url];
    const ports = [port, ...services.map((url) => Number(new URL(url).port))];
    const other = await here.define(runtime, "export default () => 'other'");
    const { worker } = await other.call();
    const targets = [
      ...addresses.flatMap((host) => ports.map((each) => ({ host, port: each }))),
      ...['169.254.169.254', '169.254.170.2'].map((host) => ({ host, port: 80 })),
      { host: worker ?? '', port: 8080 },
    ];
    expect(targets.length).toBeGreaterThan(2 * ports.length);

    const tries = await here.define(runtime, TRIES);
    const { status, json } = await tries.call({ targets });
    expect(status).toBe(200);
    expect(json.directly).toHaveLength(targets.length);
    expect(json.directly).not.toContain('connected');
    // It answers, and lets nobody through.
    expect(json.proxied).toEqual(targets.map(() => 403));
    expect(json.interfaces).toEqual(['lo']);
    expect(reached).toBe(0);
  });
});
