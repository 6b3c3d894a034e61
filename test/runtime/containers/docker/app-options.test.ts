import { describe, expect, it } from 'vitest';
import {
  type AppContainerSpec,
  appOptions,
  portName,
  portOptions,
} from '../../../../runtime/containers/docker/app-options.ts';
import { SECCOMP_PROFILE } from '../../../../runtime/containers/docker/seccomp-profile.ts';
import { SocketFolder } from '../../../../runtime/containers/socket-folder.ts';
import {
  homeVolume,
  parseAnyContainerId,
  parseWorkspaceId,
  workspaceContainerId,
} from '../../../../runtime/contracts/ids.ts';
import { must } from '../../../support/must.ts';

const MiB = 1024 * 1024;
const workspace = must(parseWorkspaceId('demo'));
const spec: AppContainerSpec = {
  id: workspaceContainerId(workspace),
  role: 'workspace',
  image: 'editor:1',
  env: { HOME: '/home/coder', HTTPS_PROXY: 'http://mine' },
  labels: {},
  limits: { cpus: 2, memoryBytes: 4096 * MiB, pids: 512 },
  network: 'none',
  app: {
    port: 8080,
    user: '1000:1000',
    volume: { name: homeVolume(workspace), mount: '/home/coder' },
    reservations: { cpus: 0.5, memoryBytes: 512 * MiB },
    readOnlyRoot: false,
  },
};
const engine = { cpus: 8, apparmor: true, remapsUsers: false };
const around = { labels: { 'berth.installation': 'ours' }, engine };

const hardened = {
  CapDrop: ['ALL'],
  SecurityOpt: [
    'no-new-privileges:true',
    `seccomp=${JSON.stringify(SECCOMP_PROFILE)}`,
    'apparmor=docker-default',
  ],
  IpcMode: 'private',
  LogConfig: { Type: 'local', Config: { 'max-size': '10m', 'max-file': '2' } },
  RestartPolicy: { Name: 'no' },
};

describe('the options of an app', () => {
  it('are those of the contract', () => {
    const { HostConfig, ...options } = appOptions(spec, { ...around, port: 'abc' });
    expect(options).toMatchObject({ Image: 'editor:1', User: '1000:1000', Labels: around.labels });
    expect(HostConfig).toMatchObject({
      ...hardened,
      NetworkMode: 'container:abc',
      NanoCpus: 2e9,
      Memory: 4096 * MiB,
      MemorySwap: 4096 * MiB,
      MemoryReservation: 512 * MiB,
      CpuShares: 512,
      PidsLimit: 512,
      Init: true,
      ReadonlyRootfs: false,
      Mounts: [{ Type: 'volume', Source: 'ws-demo-home', Target: '/home/coder' }],
    });
    expect(HostConfig?.Tmpfs).toBeUndefined();
  });

  it('show it no folder of the host', () => {
    const { HostConfig } = appOptions(spec, { ...around, port: 'abc' });
    expect(HostConfig?.Mounts?.filter(({ Type }) => Type !== 'volume')).toEqual([]);
    expect(HostConfig?.Binds).toBeUndefined();
  });

  it('tell it its port and its proxy, which the spec may say otherwise', () => {
    const { Env } = appOptions(spec, { ...around, port: 'abc' });
    expect(Env).toEqual([
      'HTTP_PROXY=http://127.0.0.1:3128',
      'HTTPS_PROXY=http://mine',
      'NO_PROXY=localhost,127.0.0.1',
      'http_proxy=http://127.0.0.1:3128',
      'https_proxy=http://127.0.0.1:3128',
      'no_proxy=localhost,127.0.0.1',
      'NODE_USE_ENV_PROXY=1',
      'HOME=/home/coder',
      'PORT=8080',
    ]);
  });

  it('mark a volume that the engine would make by itself as none of ours', () => {
    const { HostConfig } = appOptions(spec, { ...around, port: 'abc' });
    expect(HostConfig?.Mounts?.[0]?.VolumeOptions?.Labels).toEqual({
      'berth.installation': 'ours',
      'berth.part': 'stray-volume',
    });
  });

  it('give one with a read-only root a /tmp, and leave to the image what is not said', () => {
    const app = { port: 80, readOnlyRoot: true };
    const { HostConfig, ...options } = appOptions({ ...spec, app }, { ...around, port: 'abc' });
    expect(HostConfig).toMatchObject({ ReadonlyRootfs: true });
    expect(HostConfig?.Tmpfs).toEqual({
      '/tmp': `rw,nosuid,nodev,exec,mode=1777,size=${2048 * MiB}`,
    });
    for (const absent of ['Mounts', 'MemoryReservation', 'CpuShares'])
      expect(HostConfig).not.toHaveProperty(absent);
    expect(options).not.toHaveProperty('User');
  });
});

describe("the options of an app's port", () => {
  const given = portOptions(spec, {
    ...around,
    image: 'workspace-base:1',
    user: { uid: 1000, gid: 1000 },
    folder: new SocketFolder('/base', spec.id),
  });

  it('hold the network, the sockets and few rights', () => {
    expect(given).toMatchObject({
      Image: 'workspace-base:1',
      User: '1000:1000',
      Labels: { 'berth.installation': 'ours', 'berth.part': 'port', 'berth.part-of': 'ws-demo' },
      HostConfig: {
        ...hardened,
        NetworkMode: 'none',
        ReadonlyRootfs: true,
        PidsLimit: 32,
        Mounts: [
          { Source: '/base/ws-demo/agent', Target: '/berth/agent', ReadOnly: false },
          { Source: '/base/ws-demo/proxy', Target: '/berth/proxy', ReadOnly: true },
        ],
      },
    });
  });

  it('tell it where to listen, and where the app does', () => {
    expect(given.Env).toEqual([
      'PORT_SOCKET=/berth/agent/agent.sock',
      'PORT_APP=8080',
      'PORT_PROXY_SOCKET=/berth/proxy/proxy.sock',
      'PORT_PROXY_PORT=3128',
    ]);
  });

  it('name it as no container of its own can be named', () => {
    expect(parseAnyContainerId(portName(spec.id))).toBeUndefined();
    expect(parseAnyContainerId(spec.id)).toBe(spec.id);
  });
});
