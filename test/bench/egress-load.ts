import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const SCRIPT = fileURLToPath(new URL('./egress-load.lua', import.meta.url));

/** Small plain requests through a proxy on loopback, of clients that each have one in work at any time. */
export interface Load {
  readonly wrk: string;
  readonly core: number;
  readonly port: number;
  readonly upstream: string;
  readonly authorization?: string;
  readonly clients: number;
  readonly seconds: number;
}

export interface Served {
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** Connections are kept, unless the proxy's answer says that it was the last. Throws unless all went well. */
export async function serve(load: Load): Promise<Served> {
  const { wrk, core, port, upstream, authorization, clients, seconds } = load;
  const args = ['-t', '1', '-c', `${clients}`, '-d', `${seconds}s`, '-s', SCRIPT, `http://127.0.0.1:${port}`];
  const { stderr } = await promisify(execFile)('taskset', ['-c', `${core}`, wrk, ...args], {
    env: {
      URL: `http://${upstream}/some/path?of=the+usual`,
      HOST: upstream,
      ...(authorization !== undefined && { AUTHORIZATION: authorization }),
    },
  });
  const { failed, ...served }: Served & { failed: number } = JSON.parse(stderr);
  if (failed > 0 || served.perSecond === 0) throw new Error(`requests through a proxy failed: ${stderr}`);
  return served;
}
