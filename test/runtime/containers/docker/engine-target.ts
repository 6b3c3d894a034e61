import type { NetConnectOpts } from 'node:net';
import { docker } from '../../../support/services/provided.ts';

/** Where the engine listens, for a relay before it. */
export function engineTarget(): NetConnectOpts {
  const { protocol, pathname, hostname, port } = new URL(docker().host);
  return protocol === 'unix:' ? { path: pathname } : { host: hostname, port: Number(port) };
}
