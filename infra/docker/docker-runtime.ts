import { Container } from '@pulumi/docker';
import { type ComponentResource, interpolate, type Resource } from '@pulumi/pulumi';
import { HEALTH_CHECK } from './health-check.ts';
import { HARDENING, type RuntimeProgram } from './runtime-program.ts';

const STOP_SECONDS = 90;

interface Given {
  program: RuntimeProgram;
  port: number;
  dependsOn: Resource[];
  parent: ComponentResource;
}

/** The runtime, on loopback of the machine it runs on. */
export function dockerRuntime(name: string, { program, port, dependsOn, parent }: Given): Container {
  const { image, variables, mounts, tmpfs, group, networks, labels } = program;
  return new Container(
    `${name}-runtime`,
    {
      image,
      // One by one, so that a change shows as what it is and only secrets are hidden.
      envs: variables.map(({ name, value }) => interpolate`${name}=${value}`),
      mounts,
      tmpfs,
      groupAdds: [group],
      networksAdvanced: [networks.stores, networks.front].map((network) => ({ name: network.name })),
      ports: [{ internal: port, external: port, ip: '127.0.0.1' }],
      ...HARDENING,
      healthcheck: HEALTH_CHECK,
      restart: 'unless-stopped',
      stopTimeout: STOP_SECONDS,
      destroyGraceSeconds: STOP_SECONDS,
      wait: true,
      waitTimeout: 120,
      labels,
    },
    { parent, dependsOn, deleteBeforeReplace: true, additionalSecretOutputs: ['envs'] },
  );
}
