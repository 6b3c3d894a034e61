import { Container, type Network } from '@pulumi/docker';
import { type ComponentResource, interpolate, type Output, secret } from '@pulumi/pulumi';
import { RandomPassword } from '@pulumi/random';
import { HEALTH_CHECK } from './health-check.ts';

interface Given {
  image: Output<string>;
  network: Network;
  labels: { label: string; value: string }[];
  parent: ComponentResource;
}

/** The egress proxy as a service apart: only it holds rules and secrets. */
export function dockerEgress(
  name: string,
  { image, network, labels, parent }: Given,
): { url: Output<string>; adminKey: Output<string>; container: Container } {
  const key = new RandomPassword(`${name}-proxy-admin`, { length: 48, special: false }, { parent });
  const adminKey = secret(key.result);
  const container = new Container(
    `${name}-proxy`,
    {
      image,
      command: ['node', '--disable-sigusr1', '/opt/berth/proxy-service.mjs'],
      envs: adminKey.apply((value) => [`PROXY_ADMIN_KEY=${value}`]),
      networksAdvanced: [{ name: network.name }],
      readOnly: true,
      capabilities: { drops: ['ALL'] },
      securityOpts: ['no-new-privileges'],
      healthcheck: HEALTH_CHECK,
      restart: 'unless-stopped',
      wait: true,
      waitTimeout: 60,
      labels,
    },
    { parent, deleteBeforeReplace: true },
  );
  return { url: interpolate`http://${container.name}:8080`, adminKey, container };
}
