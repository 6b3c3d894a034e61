import type { ContainerCreateOptions, HostConfig, MountSettings } from 'dockerode';
import { CONVERSATION_TMPFS } from '../../contracts/container-limits.ts';
import type { ContainerSpec, Limits } from '../container-backend.ts';
import {
  AGENT_MOUNT,
  AGENT_SOCKET_NAME,
  PROXY_MOUNT,
  PROXY_SOCKET_NAME,
  type SocketFolder,
  type User,
} from '../socket-folder.ts';
import type { EngineFeatures } from './engine-replies.ts';
import { SECCOMP_PROFILE } from './seccomp-profile.ts';

export interface EngineSurroundings {
  labels: Record<string, string>;
  engine: EngineFeatures;
  /** Named by the operator; otherwise the engine's own where it has AppArmor. */
  apparmorProfile?: string | undefined;
}

export interface Surroundings extends EngineSurroundings {
  user: User;
  folder: SocketFolder;
}

const NANO = 1e9;

/** A conversation's container in the engine's words. */
export function createOptions(spec: ContainerSpec, around: Surroundings): ContainerCreateOptions {
  const { user, folder } = around;
  return {
    Image: spec.image,
    User: `${user.uid}:${user.gid}`,
    Env: variables({
      ...spec.env,
      AGENT_LISTEN_MODE: 'uds',
      AGENT_SOCKET: `${AGENT_MOUNT}/${AGENT_SOCKET_NAME}`,
      AGENT_PROXY_SOCKET: `${PROXY_MOUNT}/${PROXY_SOCKET_NAME}`,
    }),
    Labels: around.labels,
    HostConfig: {
      ...hardening(spec.limits, around),
      NetworkMode: spec.network,
      ReadonlyRootfs: true,
      Init: true,
      Tmpfs: tmpfs(user),
      Mounts: socketMounts(folder),
    },
  };
}

export function variables(env: Record<string, string>): string[] {
  return Object.entries(env).map(([name, value]) => `${name}=${value}`);
}

export function socketMounts(folder: SocketFolder): MountSettings[] {
  return [
    { Type: 'bind', Source: folder.agentFolder, Target: AGENT_MOUNT, ReadOnly: false },
    { Type: 'bind', Source: folder.proxyFolder, Target: PROXY_MOUNT, ReadOnly: true },
  ];
}

/** What every container has: its limits, no rights, and no way to write without end. */
export function hardening(limits: Limits, around: EngineSurroundings): HostConfig {
  return {
    // The engine refuses more than the machine has.
    NanoCpus: Math.round(Math.min(limits.cpus, around.engine.cpus) * NANO),
    Memory: limits.memoryBytes,
    MemorySwap: limits.memoryBytes,
    PidsLimit: limits.pids,
    CapDrop: ['ALL'],
    SecurityOpt: securityOptions(around),
    IpcMode: 'private',
    LogConfig: { Type: 'local', Config: { 'max-size': '10m', 'max-file': '2' } },
    RestartPolicy: { Name: 'no' },
  };
}

export function securityOptions({
  apparmorProfile,
  engine,
}: Pick<EngineSurroundings, 'apparmorProfile' | 'engine'>): string[] {
  const profile = apparmorProfile ?? (engine.apparmor ? 'docker-default' : undefined);
  return [
    'no-new-privileges:true',
    `seccomp=${JSON.stringify(SECCOMP_PROFILE)}`,
    ...(profile === undefined ? [] : [`apparmor=${profile}`]),
  ];
}

/** The engine mounts by depth, so `.cache` comes on top of the home folder. */
function tmpfs({ uid, gid }: User): Record<string, string> {
  return Object.fromEntries(
    Object.entries(CONVERSATION_TMPFS).map(([path, size]) => [
      path,
      `rw,nosuid,nodev,exec,size=${size},uid=${uid},gid=${gid},mode=${/\btmp$/.test(path) ? '1777' : '0755'}`,
    ]),
  );
}
