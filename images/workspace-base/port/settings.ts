export interface PortSettings {
  /** Bound here: whoever connects speaks with the app. */
  socket: string;
  /** Where the app listens on loopback. */
  app: number;
  /** A port of loopback that leads to the egress proxy's socket. */
  proxy: { socket: string; port: number };
}

/** Out of the app's own environment, where there is an app to start. */
export const SETTINGS = ['PORT_SOCKET', 'PORT_APP', 'PORT_PROXY_SOCKET', 'PORT_PROXY_PORT'] as const;
type Setting = (typeof SETTINGS)[number];

/** Throws an error that names what is missing. */
export function readSettings(env: NodeJS.ProcessEnv): PortSettings {
  return {
    socket: text(env, 'PORT_SOCKET'),
    app: port(env, 'PORT_APP'),
    proxy: { socket: text(env, 'PORT_PROXY_SOCKET'), port: port(env, 'PORT_PROXY_PORT') },
  };
}

function text(env: NodeJS.ProcessEnv, name: Setting): string {
  const value = env[name];
  if (value === undefined || value === '') throw new Error(`${name} is required`);
  return value;
}

function port(env: NodeJS.ProcessEnv, name: Setting): number {
  const value = Number(text(env, name));
  if (Number.isInteger(value) && value > 0 && value < 65_536) return value;
  throw new Error(`${name} is a port, from 1 to 65535`);
}
