import { createHash } from 'node:crypto';
import { Container, Volume } from '@pulumi/docker';
import type { ComponentResource, Output } from '@pulumi/pulumi';

/** The runtime's user, in its image. */
const RUNTIME_USER = '10000:10000';

interface Given {
  runtimeImage: Output<string>;
  labels: { label: string; value: string }[];
  parent: ComponentResource;
}

/**
 * The folder of the containers' sockets. The engine mounts parts of it into containers by its own paths, so that the
 * runtime must see it at the very path where the engine has it: a volume's.
 */
export function socketFolder(
  name: string,
  { runtimeImage, labels, parent }: Given,
): { volume: Volume; ready: Container } {
  const volume = new Volume(
    `${name}-sockets`,
    { name: shortName(name), labels },
    { parent, deleteBeforeReplace: true },
  );
  const ready = new Container(
    `${name}-sockets`,
    {
      image: runtimeImage,
      user: '0:0',
      command: ['chown', RUNTIME_USER, '/sockets'],
      mounts: [{ type: 'volume', source: volume.name, target: '/sockets' }],
      networkMode: 'none',
      readOnly: true,
      capabilities: { drops: ['ALL'], adds: ['CAP_CHOWN'] },
      securityOpts: ['no-new-privileges'],
      attach: true,
      mustRun: false,
      labels,
    },
    { parent, deleteBeforeReplace: true },
  );
  return { volume, ready };
}

/** The path of a socket has 107 bytes, of which the engine's own folder takes most. */
function shortName(platform: string): string {
  return `berth-${createHash('sha256').update(platform).digest('hex').slice(0, 8)}`;
}
