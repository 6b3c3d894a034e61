import { openProxyPort } from '../../images/workspace-base/agent/egress/proxy-port.ts';

/** A program: the port that an agent opens in its sandbox and leads to the proxy's socket. */
const socket: string = JSON.parse(process.argv[2] ?? '');
console.log(await openProxyPort({ port: 0, socket }));
