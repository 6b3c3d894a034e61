import { statSync } from 'node:fs';
import { Config } from '@pulumi/pulumi';

/** Where the runtime finds the engine inside its container, and where engines are unless they are told otherwise. */
export const USUAL_SOCKET = '/var/run/docker.sock';

/** The engine that the stack or `DOCKER_HOST` names, as Pulumi's provider takes it. */
export function engineHost(): string | undefined {
  return new Config('docker').get('host') ?? process.env.DOCKER_HOST;
}

/**
 * The socket of the engine that makes the containers, where the engine itself has it: the one that is named.
 * On a machine whose engine runs in a virtual one, that name is not the engine's own, which has its usual place.
 */
export function engineSocket(
  host = engineHost(),
  platform: string = process.platform,
): { path: string; group: string } {
  // In a virtual machine the socket is root's, whoever may use the one outside.
  if (platform !== 'linux') return { path: USUAL_SOCKET, group: '0' };
  const path = host?.match(/^unix:\/\/(\/.+)$/)?.[1] ?? USUAL_SOCKET;
  return { path, group: groupOf(path) };
}

/** Who may use it; where it can't be seen, root's group may. */
function groupOf(path: string): string {
  return String(statSync(path, { throwIfNoEntry: false })?.gid ?? 0);
}
