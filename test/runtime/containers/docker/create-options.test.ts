import { describe, expect, it } from 'vitest';
import { createOptions } from '../../../../runtime/containers/docker/create-options.ts';
import { SECCOMP_PROFILE } from '../../../../runtime/containers/docker/seccomp-profile.ts';
import { SocketFolder } from '../../../../runtime/containers/socket-folder.ts';
import { containerSpec } from '../../../contract/container-backend/specs.ts';

const spec = containerSpec('workspace-base:1');
const around = {
  user: { uid: 1000, gid: 1000 },
  labels: { a: 'b' },
  folder: new SocketFolder('/base', spec.id),
  engine: { cpus: 8, apparmor: false, remapsUsers: false },
};

describe('the options of a container', () => {
  it('are those of the contract', () => {
    const { HostConfig, ...options } = createOptions(spec, around);
    expect(options).toMatchObject({
      Image: 'workspace-base:1',
      User: '1000:1000',
      Env: [
        `AGENT_TOKEN=${spec.env.AGENT_TOKEN}`,
        'AGENT_LISTEN_MODE=uds',
        'AGENT_SOCKET=/berth/agent/agent.sock',
        'AGENT_PROXY_SOCKET=/berth/proxy/proxy.sock',
      ],
    });
    expect(HostConfig).toMatchObject({
      NetworkMode: 'none',
      NanoCpus: 2e9,
      Memory: 2147483648,
      MemorySwap: 2147483648,
      PidsLimit: 256,
      CapDrop: ['ALL'],
      ReadonlyRootfs: true,
      IpcMode: 'private',
      Init: true,
      LogConfig: { Type: 'local', Config: { 'max-size': '10m', 'max-file': '2' } },
      RestartPolicy: { Name: 'no' },
      Mounts: [
        { Source: `/base/${spec.id}/agent`, Target: '/berth/agent', ReadOnly: false },
        { Source: `/base/${spec.id}/proxy`, Target: '/berth/proxy', ReadOnly: true },
      ],
    });
    expect(HostConfig?.Tmpfs?.['/workspace']).toBe(
      'rw,nosuid,nodev,exec,size=1073741824,uid=1000,gid=1000,mode=0755',
    );
    expect(Object.keys(HostConfig?.Tmpfs ?? {})).toHaveLength(6);
  });

  it('ask for no more CPUs than there are', () => {
    const options = createOptions(spec, { ...around, engine: { ...around.engine, cpus: 1 } });
    expect(options.HostConfig?.NanoCpus).toBe(1e9);
  });

  it.each([
    ['none without AppArmor', false, undefined, undefined],
    ["the engine's own where it has AppArmor", true, undefined, 'apparmor=docker-default'],
    ['the one that is given', true, 'mine', 'apparmor=mine'],
  ])('name a profile of AppArmor: %s', (_, apparmor, apparmorProfile, expected) => {
    const engine = { ...around.engine, apparmor };
    const { HostConfig } = createOptions(spec, { ...around, engine, apparmorProfile });
    expect(HostConfig?.SecurityOpt?.find((option: string) => option.startsWith('apparmor'))).toBe(expected);
    expect(HostConfig?.SecurityOpt).toContain('no-new-privileges:true');
    expect(HostConfig?.SecurityOpt).toContain(`seccomp=${JSON.stringify(SECCOMP_PROFILE)}`);
  });
});

it('the seccomp profile names each syscall once', () => {
  const names = SECCOMP_PROFILE.syscalls
    .filter(({ args }) => args === undefined)
    .flatMap((rule) => rule.names);
  expect(new Set(names).size).toBe(names.length);
});
