import type { ContainerCreateOptions, MountSettings } from 'dockerode';
import type { ContainerId } from '../../contracts/ids.ts';
import { LABEL } from '../../contracts/labels.ts';
import { APP_PROXY_PORT, appEnvironment, portEnvironment } from '../app-environment.ts';
import type { AppSpec, ContainerSpec } from '../container-backend.ts';
import {
  AGENT_MOUNT,
  AGENT_SOCKET_NAME,
  PROXY_MOUNT,
  PROXY_SOCKET_NAME,
  type SocketFolder,
  type User,
} from '../socket-folder.ts';
import { type EngineSurroundings, hardening, socketMounts, variables } from './create-options.ts';

export type AppContainerSpec = ContainerSpec & { app: AppSpec };
/** What the port of an app has to know of it. */
export type PortSpec = Pick<ContainerSpec, 'id' | 'role' | 'network'> & { app: Pick<AppSpec, 'port'> };

const MiB = 1024 * 1024;
/** Of the port's own container: some thousand connections fit. */
const PORT_LIMITS = { cpus: 1, memoryBytes: 128 * MiB, pids: 32 };
/** How much of a CPU a share of the engine's stands for. */
const SHARES_PER_CPU = 1024;
const FEWEST_SHARES = 2;
/** What the value of `LABEL.part` is on the container that holds an app's network. */
export const PORT_PART = 'port';

/** And on a volume that came to be because a container named it after it was gone. */
export const STRAY_VOLUME = 'stray-volume';

/** No container of ours has a dot in its own name. */
export function portName(id: ContainerId): string {
  return `${id}.port`;
}

/** The container that this one is, or is the port of. */
export function containerOf(name: string): string {
  return name.replace(/\.port$/, '');
}

/** Who holds the app's network, as the app's own settings name it. */
export function networkOf(port: string): string {
  return `container:${port}`;
}

/** A program of the image, in a network that has nothing in it but `port`'s two ends. */
export function appOptions(
  spec: AppContainerSpec,
  around: EngineSurroundings & { port: string },
): ContainerCreateOptions {
  const { app, limits } = spec;
  const { reservations, volume } = app;
  return {
    Image: spec.image,
    ...(app.user === undefined ? {} : { User: app.user }),
    Env: variables(appEnvironment(spec.env, { port: app.port, proxyPort: APP_PROXY_PORT })),
    Labels: around.labels,
    HostConfig: {
      ...hardening(limits, around),
      NetworkMode: networkOf(around.port),
      Init: true,
      ReadonlyRootfs: app.readOnlyRoot,
      ...(app.readOnlyRoot
        ? { Tmpfs: { '/tmp': `rw,nosuid,nodev,exec,mode=1777,size=${Math.floor(limits.memoryBytes / 2)}` } }
        : {}),
      ...(reservations === undefined
        ? {}
        : {
            MemoryReservation: reservations.memoryBytes,
            CpuShares: Math.max(FEWEST_SHARES, Math.round(reservations.cpus * SHARES_PER_CPU)),
          }),
      ...(volume === undefined ? {} : { Mounts: [volumeMount(volume, around.labels)] }),
    },
  };
}

function volumeMount(
  { name, mount }: NonNullable<AppSpec['volume']>,
  labels: Readonly<Record<string, string>>,
): MountSettings {
  return {
    Type: 'volume',
    Source: name,
    Target: mount,
    ReadOnly: false,
    VolumeOptions: {
      // An empty home begins with what the image has there.
      NoCopy: false,
      // The engine makes what is not there; these tell such a one from a volume of ours.
      Labels: { [LABEL.installation]: labels[LABEL.installation] ?? '', [LABEL.part]: STRAY_VOLUME },
      DriverConfig: { Name: 'local', Options: {} },
    },
  };
}

/** What holds the app's network, and is the only one to see its sockets. */
export function portOptions(
  spec: PortSpec,
  around: EngineSurroundings & { image: string; user: User; folder: SocketFolder },
): ContainerCreateOptions {
  return {
    Image: around.image,
    User: `${around.user.uid}:${around.user.gid}`,
    Entrypoint: ['node'],
    Cmd: ['--disable-sigusr1', '--max-old-space-size=64', '/opt/berth/port.mjs'],
    WorkingDir: '/',
    Env: variables(
      portEnvironment({
        socket: `${AGENT_MOUNT}/${AGENT_SOCKET_NAME}`,
        port: spec.app.port,
        proxySocket: `${PROXY_MOUNT}/${PROXY_SOCKET_NAME}`,
        proxyPort: APP_PROXY_PORT,
      }),
    ),
    Labels: { ...around.labels, [LABEL.part]: PORT_PART, [LABEL.partOf]: spec.id },
    HostConfig: {
      ...hardening(PORT_LIMITS, around),
      NetworkMode: spec.network,
      ReadonlyRootfs: true,
      Mounts: socketMounts(around.folder),
    },
  };
}
