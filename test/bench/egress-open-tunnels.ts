import { setTimeout as sleep } from 'node:timers/promises';
import { OurProxy } from './egress-our-proxy.ts';
import { BenchProcess } from './egress-process.ts';
import { TunnelClient } from './egress-tunnel-client.ts';
import type { Figure } from './figure.ts';
import { memoryMegabytes } from './process-memory.ts';

const TUNNELS = 500;
const CONTAINERS = 5;
const BYTES = 64 * 1024;
const SETTLE_MS = 2000;

/** The proxy's memory while tunnels of several containers are open, each of which has carried something. */
export async function egressOpenTunnels(): Promise<Figure> {
  await using upstream = BenchProcess.program(new URL('./egress-bulk-upstream.ts', import.meta.url));
  const authority = `127.0.0.2:${await upstream.said()}`;
  await using proxy = await OurProxy.start();
  using tunnels = new DisposableStack();
  for (let container = 0; container < CONTAINERS; container += 1) {
    const path = await proxy.openSocket(`ws-${container}`, authority);
    for (let opened = 0; opened < TUNNELS / CONTAINERS; opened += 1) {
      const tunnel = tunnels.use(await TunnelClient.open({ path }, authority));
      await tunnel.carry({ way: opened % 2 === 0 ? 'down' : 'up', bytes: BYTES });
    }
  }
  await sleep(SETTLE_MS);
  return {
    name: '500 open tunnels: all memory of the proxy',
    unit: 'MB',
    ours: memoryMegabytes(proxy.pid, 'VmRSS'),
    goal: 100,
  };
}
