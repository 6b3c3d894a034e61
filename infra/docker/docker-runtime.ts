import { Container, type Network, Volume } from '@pulumi/docker';
import { all, type ComponentResource, type Input, type Output, type Resource, secret } from '@pulumi/pulumi';
import { plainVariables, type RuntimeEnvironment, secretVariables } from '../runtime-environment.ts';
import { engineSocket, USUAL_SOCKET } from './engine-socket.ts';
import { HEALTH_CHECK } from './health-check.ts';

const STOP_SECONDS = 90;

interface Given {
  image: Output<string>;
  environment: RuntimeEnvironment<Output<string>>;
  sockets: Volume;
  networks: Network[];
  port: number;
  destroyData: boolean;
  labels: { label: string; value: string }[];
  dependsOn: Resource[];
  parent: ComponentResource;
}

/** The runtime, on loopback of the machine it runs on. Who holds the engine's socket is root there: nobody else does. */
export function dockerRuntime(name: string, given: Given): Container {
  const { image, sockets, networks, port, destroyData, labels, dependsOn, parent } = given;
  const data = new Volume(`${name}-data`, { labels }, { parent, retainOnDelete: !destroyData });
  const engine = engineSocket();
  return new Container(
    `${name}-runtime`,
    {
      image,
      envs: environmentOf(given.environment),
      mounts: [
        { type: 'volume', source: data.name, target: '/var/lib/berth' },
        { type: 'volume', source: sockets.name, target: sockets.mountpoint },
        { type: 'bind', source: engine.path, target: USUAL_SOCKET },
      ],
      groupAdds: [engine.group],
      networksAdvanced: networks.map((network) => ({ name: network.name })),
      ports: [{ internal: port, external: port, ip: '127.0.0.1' }],
      readOnly: true,
      tmpfs: { '/tmp': 'rw,nosuid,nodev,size=256m' },
      capabilities: { drops: ['ALL'] },
      securityOpts: ['no-new-privileges'],
      healthcheck: HEALTH_CHECK,
      restart: 'unless-stopped',
      stopTimeout: STOP_SECONDS,
      destroyGraceSeconds: STOP_SECONDS,
      wait: true,
      waitTimeout: 120,
      labels,
    },
    { parent, dependsOn, deleteBeforeReplace: true },
  );
}

/** All of it is secret, since some of it is. */
function environmentOf(environment: RuntimeEnvironment<Output<string>>): Output<string[]> {
  const variables: { name: string; value: Input<string> }[] = [
    ...plainVariables(environment),
    ...secretVariables(environment),
  ];
  return secret(
    all(variables.map(({ value }) => value)).apply((values) =>
      variables.map(({ name }, at) => `${name}=${values[at]}`),
    ),
  );
}
