import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const BETWEEN_LOOKS_MS = 250;
const ACCEPT_MS = 1000;

/** Resolves once something takes connections there. */
export async function portAccepts(host: string, port: number, signal: AbortSignal): Promise<void> {
  while (!(await accepts(host, port))) await sleep(BETWEEN_LOOKS_MS, undefined, { signal });
}

async function accepts(host: string, port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect({ host, port, timeout: ACCEPT_MS });
  socket.on('connect', () => resolve(true));
  socket.on('timeout', () => resolve(false));
  socket.on('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
