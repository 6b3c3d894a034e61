import type { ContainerSpec } from './container-backend.ts';

/** Where an app with a loopback of its own finds its egress proxy. Not 8080: that is where apps listen. */
export const APP_PROXY_PORT = 3128;

/** What an app is told of the two ports that it has to know. What the spec says of the proxy wins. */
export function appEnvironment(
  env: ContainerSpec['env'],
  at: { port: number; proxyPort: number },
): Record<string, string> {
  const proxy = `http://127.0.0.1:${at.proxyPort}`;
  const direct = 'localhost,127.0.0.1';
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: direct,
    http_proxy: proxy,
    https_proxy: proxy,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: '1',
    ...env,
    PORT: String(at.port),
  };
}

/** For the program that stands between an app and everyone else (images/workspace-base/port). */
export function portEnvironment(at: {
  socket: string;
  port: number;
  proxySocket: string;
  proxyPort: number;
}): Record<string, string> {
  return {
    PORT_SOCKET: at.socket,
    PORT_APP: String(at.port),
    PORT_PROXY_SOCKET: at.proxySocket,
    PORT_PROXY_PORT: String(at.proxyPort),
  };
}

/** Of a program's own environment: what it is told by us, or by what starts it. */
const TOLD = new Set([
  ...Object.keys(appEnvironment({}, { port: 0, proxyPort: 0 })),
  ...Object.keys(portEnvironment({ socket: '', port: 0, proxySocket: '', proxyPort: 0 })),
]);

/** Nobody else may say these. Nor `LD_…`: a loader of ours might read them first, outside of the sandbox. */
export function isReservedVariable(name: string): boolean {
  return TOLD.has(name) || name.startsWith('LD_');
}
