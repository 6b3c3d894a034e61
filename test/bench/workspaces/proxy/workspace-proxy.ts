import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { workspace } from '../../../contract/database/workspace-scenario.ts';
import type { BenchSetting } from '../../bench-setting.ts';
import { BenchProcess } from '../../egress-process.ts';
import { byTurns, type Figure, median } from '../../figure.ts';
import { memoryMegabytes } from '../../process-memory.ts';
import { startOtherProxy } from './other-proxy.ts';
import { openWebSocket, ProxyClient, type Way } from './proxy-calls.ts';

const KEY = 'berth_for-the-bench';
const OTHER = 'configurable-http-proxy';
const SMALL_ROUNDS = 15;
const SMALL = 1000;
const BYTES = 256 * 1024 * 1024;
const BYTE_ROUNDS = 7;
const SOCKETS = 2000;
const AT_ONCE = 50;
const SETTLE_MS = 3000;

interface Ways {
  direct: Way;
  ours: Way;
  other: Way;
  /** Of our proxy. */
  pid: number;
}

/** Requests, bytes and WebSockets through the proxy of workspaces and through another, to the same program. */
export async function workspaceProxy({ say }: BenchSetting): Promise<Figure[]> {
  await using started = new AsyncDisposableStack();
  const ways = await startAll(started, say);
  const added = await addedByProxies(ways);
  const sockets = await openSockets(ways); // before what many bytes leave in memory
  return [added, ...(await bytesThrough(ways)), sockets];
}

async function startAll(started: AsyncDisposableStack, say: (line: string) => void): Promise<Ways> {
  const program = started.use(BenchProcess.program(new URL('./program.ts', import.meta.url)));
  const port = Number(await program.said());
  const folder = mkdtempSync(join(tmpdir(), 'berth-bench-'));
  started.defer(() => rmSync(folder, { recursive: true }));
  const order = { folder, port, key: KEY };
  const proxy = started.use(BenchProcess.program(new URL('./our-proxy.ts', import.meta.url), order));
  const other = await startOtherProxy(started, port, say);
  const plain = { prefix: '', headers: {} };
  const headers = { authorization: `Bearer ${KEY}` };
  return {
    direct: { port, ...plain },
    ours: { port: Number(await proxy.said()), prefix: `/w/${workspace()}`, headers },
    other: { port: other.port, ...plain },
    pid: proxy.pid,
  };
}

/** By turns, each of one client that keeps its connection: what its median is above that of no proxy. */
async function addedByProxies({ direct, ours, other }: Ways): Promise<Figure> {
  const names = ['direct', 'ours', 'other'] as const;
  using clients = new DisposableStack();
  const client = {
    direct: clients.use(new ProxyClient(direct)),
    ours: clients.use(new ProxyClient(ours)),
    other: clients.use(new ProxyClient(other)),
  };
  const medians: Record<(typeof names)[number], number[]> = { direct: [], ours: [], other: [] };
  for (const name of names) await client[name].small(SMALL); // they only warm up
  const order = [...names];
  for (let round = 0; round < SMALL_ROUNDS; round += 1) {
    for (const name of order) medians[name].push(median(await client[name].small(SMALL)));
    order.push(...order.splice(0, 1));
  }
  const added = (name: 'ours' | 'other') =>
    median(medians[name].map((ms, round) => ms - (medians.direct[round] ?? 0)));
  return {
    name: 'what the proxy of workspaces adds to a small request, p50',
    unit: 'ms',
    ours: added('ours'),
    reference: { name: `what ${OTHER} adds`, value: added('other') },
    goal: 1.5,
  };
}

async function bytesThrough({ ours, other }: Ways): Promise<Figure[]> {
  using clients = new DisposableStack();
  const client = { ours: clients.use(new ProxyClient(ours)), other: clients.use(new ProxyClient(other)) };
  const down = await byTurns(
    BYTE_ROUNDS,
    () => client.ours.megabytesPerSecondDown(BYTES),
    () => client.other.megabytesPerSecondDown(BYTES),
  );
  const up = await byTurns(
    BYTE_ROUNDS,
    () => client.ours.megabytesPerSecondUp(BYTES),
    () => client.other.megabytesPerSecondUp(BYTES),
  );
  return Object.entries({ down, up }).map(([way, result]) => ({
    name: `268 MB ${way} through the proxy of workspaces`,
    unit: 'MB/s',
    ours: result.ours,
    reference: { name: OTHER, value: result.reference },
    goal: { atLeast: 0.8 },
  }));
}

async function openSockets({ ours, pid }: Ways): Promise<Figure> {
  await sleep(SETTLE_MS);
  const before = memoryMegabytes(pid, 'VmRSS');
  using sockets = new DisposableStack();
  for (let opened = 0; opened < SOCKETS; opened += AT_ONCE) {
    const some = await Promise.all(Array.from({ length: AT_ONCE }, () => openWebSocket(ours)));
    for (const socket of some) sockets.defer(() => socket.destroy());
  }
  await sleep(SETTLE_MS);
  return {
    name: '2,000 open WebSockets through the proxy of workspaces',
    unit: 'MB',
    ours: memoryMegabytes(pid, 'VmRSS') - before,
    goal: 150,
  };
}
