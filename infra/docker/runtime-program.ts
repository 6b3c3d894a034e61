import { type Network, Volume } from '@pulumi/docker';
import type { ComponentResource, Input, Output } from '@pulumi/pulumi';
import {
  type NamedValue,
  plainVariables,
  type RuntimeEnvironment,
  secretVariables,
} from '../runtime-environment.ts';
import { engineSocket, USUAL_SOCKET } from './engine-socket.ts';

/** A program of the runtime's image beside the engine: what serves, and what ends conversations when it is gone. */
export interface RuntimeProgram {
  image: Output<string>;
  /** Values that are secret are marked so, one by one. */
  variables: NamedValue<Input<string>>[];
  mounts: { type: 'volume' | 'bind'; source: Input<string>; target: Input<string> }[];
  tmpfs: Record<string, string>;
  /** Who may use the engine's socket. */
  group: string;
  /** Where the stores are, and where the rest is. */
  networks: { stores: Network; front: Network };
  labels: { label: string; value: string }[];
}

/** What none goes without. */
export const HARDENING = {
  readOnly: true,
  capabilities: { drops: ['ALL'] },
  securityOpts: ['no-new-privileges'],
};

interface Given extends Pick<RuntimeProgram, 'image' | 'networks' | 'labels'> {
  environment: RuntimeEnvironment<Output<string>>;
  sockets: Volume;
  destroyData: boolean;
  parent: ComponentResource;
}

/** Who holds the engine's socket is root on its machine: nobody else does. */
export function runtimeProgram(name: string, given: Given): RuntimeProgram {
  const { image, environment, sockets, networks, labels, destroyData, parent } = given;
  const data = new Volume(`${name}-data`, { labels }, { parent, retainOnDelete: !destroyData });
  const engine = engineSocket();
  return {
    image,
    variables: [...plainVariables(environment), ...secretVariables(environment)],
    mounts: [
      { type: 'volume', source: data.name, target: '/var/lib/berth' },
      { type: 'volume', source: sockets.name, target: sockets.mountpoint },
      { type: 'bind', source: engine.path, target: USUAL_SOCKET },
    ],
    tmpfs: { '/tmp': 'rw,nosuid,nodev,size=256m' },
    group: engine.group,
    networks,
    labels,
  };
}
