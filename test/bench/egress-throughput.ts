import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/services/free-port.ts';
import type { BulkOrder } from './egress-bulk.ts';
import { debianProgram } from './egress-debian-program.ts';
import { OurProxy } from './egress-our-proxy.ts';
import { BenchProcess } from './egress-process.ts';
import { TunnelClient } from './egress-tunnel-client.ts';
import { byTurns, type Figure, timed } from './figure.ts';

const BYTES = 256 * 1024 * 1024;
const ROUNDS = 3;
const HOST = '127.0.0.1';

/** Bytes through the agent's port and the proxy, and through two socats with the same hops, to the same far end. */
export async function egressThroughput(say: (line: string) => void): Promise<Figure[]> {
  await using upstream = BenchProcess.program(new URL('./egress-bulk-upstream.ts', import.meta.url));
  const authority = `127.0.0.2:${await upstream.said()}`;

  await using proxy = await OurProxy.start();
  const socket = await proxy.openSocket('tunnels', authority);
  await using forwarder = BenchProcess.program(new URL('./egress-forwarder.ts', import.meta.url), socket);
  const port = Number(await forwarder.said());

  await using socats = new AsyncDisposableStack();
  const socatPort = await startSocats(socats, await debianProgram('socat', 'socat', say), authority);

  const figures: Figure[] = [];
  for (const way of ['down', 'up'] as const) {
    const order = { way, bytes: BYTES };
    const result = await byTurns(
      ROUNDS,
      async () => megabytesPerSecond(await TunnelClient.open({ host: HOST, port }, authority), order),
      async () => megabytesPerSecond(await TunnelClient.open({ host: HOST, port: socatPort }), order),
    );
    figures.push({
      name: `268 MB ${way} a CONNECT tunnel, by the agent's port (TCP → UDS) and the proxy (UDS → TCP)`,
      unit: 'MB/s',
      ours: result.ours,
      reference: { name: 'two socats, TCP → UDS → TCP', value: result.reference },
      goal: { atLeast: 0.7 },
    });
  }
  return figures;
}

async function startSocats(started: AsyncDisposableStack, socat: string, authority: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  started.defer(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'between.sock');
  const far = started.use(new BenchProcess([socat, `UNIX-LISTEN:${path},fork`, `TCP:${authority}`]));
  await far.listensAt({ path });
  const port = await freePort();
  const listen = `TCP-LISTEN:${port},bind=${HOST},reuseaddr,fork`;
  const near = started.use(new BenchProcess([socat, listen, `UNIX-CONNECT:${path}`]));
  await near.listensAt({ host: HOST, port });
  return port;
}

async function megabytesPerSecond(tunnel: TunnelClient, order: BulkOrder): Promise<number> {
  using open = tunnel;
  return order.bytes / 1e3 / (await timed(() => open.carry(order)));
}
