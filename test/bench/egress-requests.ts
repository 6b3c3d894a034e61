import { cpus } from 'node:os';
import { debianProgram } from './egress-debian-program.ts';
import { type Load, type Served, serve } from './egress-load.ts';
import { squid, startProxy, tinyproxy } from './egress-other-proxies.ts';
import { OurProxy } from './egress-our-proxy.ts';
import { BenchProcess } from './egress-process.ts';
import { type Figure, median } from './figure.ts';

const ROUNDS = 7;
const CLIENTS = 32;
const SECONDS = 1;
const WARM_SECONDS = 2;
/** Whichever proxy is measured has one core; the clients and the upstream, which need less, have another. */
const PROXY_CORE = 0;
const OTHER_CORE = cpus().length > 1 ? 1 : 0;

type Name = 'ours' | 'tinyproxy' | 'squid';

/** Small plain requests through our proxy, tinyproxy and squid, each on TCP, to the same upstream. */
export async function egressRequests(say: (line: string) => void): Promise<Figure[]> {
  await using started = new AsyncDisposableStack();
  const program = new URL('./egress-small-upstream.ts', import.meta.url);
  const answering = started.use(BenchProcess.program(program, null, { core: OTHER_CORE }));
  const upstream = `127.0.0.2:${await answering.said()}`;
  const wrk = await debianProgram('wrk', 'wrk', say);
  const load = { wrk, core: OTHER_CORE, upstream, clients: CLIENTS, seconds: SECONDS };

  const proxy = started.use(await OurProxy.start());
  const ours = await proxy.openPort(upstream);
  proxy.runOnCore(PROXY_CORE);
  const on = { core: PROXY_CORE, say };
  const served = await inTurns({
    ours: { ...load, ...ours },
    tinyproxy: { ...load, port: await startProxy(started, tinyproxy, on) },
    squid: { ...load, port: await startProxy(started, squid, on) },
  });
  const what = `small requests of ${CLIENTS} clients, the proxy on TCP and one core`;
  return [
    { ...against('tinyproxy', 'perSecond'), name: what, unit: 'requests/s', goal: { atLeast: 1 } },
    { ...against('squid', 'perSecond'), name: what, unit: 'requests/s', goal: { atLeast: 0.5 } },
    { ...against('tinyproxy', 'p99Ms'), name: `p99 of ${what}`, unit: 'ms', goal: 1.5 },
  ];

  function against(name: Name, of: keyof Served): Pick<Figure, 'ours' | 'reference'> {
    return { ours: served.ours[of], reference: { name, value: served[name][of] } };
  }
}

/** One after the other, each round beginning with another, so that what else the machine does falls on all. */
async function inTurns(loads: Record<Name, Load>): Promise<Record<Name, Served>> {
  const served: Record<Name, Served[]> = { ours: [], tinyproxy: [], squid: [] };
  const names: Name[] = ['ours', 'tinyproxy', 'squid'];
  for (const name of names) await serve({ ...loads[name], seconds: WARM_SECONDS }); // it only warms up
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of names) served[name].push(await serve(loads[name]));
    names.push(...names.splice(0, 1));
  }
  return { ours: middle(served.ours), tinyproxy: middle(served.tinyproxy), squid: middle(served.squid) };
}

function middle(all: Served[]): Served {
  return {
    perSecond: median(all.map(({ perSecond }) => perSecond)),
    p99Ms: median(all.map(({ p99Ms }) => p99Ms)),
  };
}
