import { Container, type Network, RemoteImage, Volume } from '@pulumi/docker';
import { type ComponentResource, interpolate, type Output, type Resource, secret } from '@pulumi/pulumi';
import type { DockerSecrets } from './docker-secrets.ts';

const REDIS_IMAGE = 'redis:7.4-bookworm';
const POSTGRES_IMAGE = 'postgres:17-bookworm';
/** Images that are not built here. */
export const PULLED_IMAGES = [REDIS_IMAGE, POSTGRES_IMAGE] as const;

/** An official image starts as root, gives its folder to a user of its own, and goes on as that one. */
const OWN_ITS_FOLDER = ['CAP_CHOWN', 'CAP_DAC_OVERRIDE', 'CAP_FOWNER', 'CAP_SETGID', 'CAP_SETUID'];

interface Given {
  network: Network;
  secrets: DockerSecrets;
  labels: { label: string; value: string }[];
  /** Whether what they keep goes with them. */
  destroyData: boolean;
  /** What removes images, once nothing is made of them any more. */
  removal: Resource;
  parent: ComponentResource;
}

export interface DockerStores {
  redisUrl: Output<string>;
  databaseUrl: Output<string>;
  containers: Container[];
}

/** Redis and Postgres, each with a volume of its own, on a network that nobody else is on. Nothing is published. */
export function dockerStores(name: string, given: Given): DockerStores {
  const { secrets } = given;
  const redis = store(name, 'redis', given, {
    image: REDIS_IMAGE,
    folder: '/data',
    scratch: [],
    // State is never thrown away to make room.
    command: ['redis-server', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction', '--requirepass'],
    password: secrets.redisPassword,
    check: ['CMD-SHELL', 'redis-cli -a "$REDIS_PASSWORD" --no-auth-warning ping | grep -q PONG'],
    env: (password) => [`REDIS_PASSWORD=${password}`],
  });
  const postgres = store(name, 'postgres', given, {
    image: POSTGRES_IMAGE,
    folder: '/var/lib/postgresql/data',
    scratch: ['/var/run/postgresql'],
    command: undefined,
    password: secrets.databasePassword,
    check: ['CMD-SHELL', 'pg_isready -U berth -d berth'],
    env: (password) => [`POSTGRES_PASSWORD=${password}`, 'POSTGRES_USER=berth', 'POSTGRES_DB=berth'],
  });
  return {
    redisUrl: secret(interpolate`redis://:${secrets.redisPassword}@${redis.name}:6379`),
    databaseUrl: secret(
      interpolate`postgres://berth:${secrets.databasePassword}@${postgres.name}:5432/berth`,
    ),
    containers: [redis, postgres],
  };
}

interface Store {
  image: string;
  folder: string;
  /** Where it writes besides, and `/tmp`: in memory. */
  scratch: string[];
  /** With the password behind it; none: what the image does by itself. */
  command: string[] | undefined;
  password: Output<string>;
  check: string[];
  env: (password: string) => string[];
}

function store(
  name: string,
  kind: string,
  { network, labels, destroyData, removal, parent }: Given,
  store: Store,
): Container {
  const image = new RemoteImage(
    `${name}-${kind}`,
    { name: store.image, keepLocally: true },
    { parent, dependsOn: [removal] },
  );
  const volume = new Volume(
    `${name}-${kind}`,
    { labels },
    { parent, retainOnDelete: !destroyData, protect: false },
  );
  return new Container(
    `${name}-${kind}`,
    {
      image: image.imageId,
      envs: store.password.apply(store.env),
      ...(store.command && {
        command: store.password.apply((password) => [...(store.command ?? []), password]),
      }),
      mounts: [{ type: 'volume', source: volume.name, target: store.folder }],
      networksAdvanced: [{ name: network.name }],
      healthcheck: { tests: store.check, interval: '2s', timeout: '3s', retries: 30 },
      restart: 'unless-stopped',
      readOnly: true,
      tmpfs: Object.fromEntries(
        ['/tmp', ...store.scratch].map((path) => [path, 'rw,nosuid,nodev,noexec,mode=1777']),
      ),
      capabilities: { drops: ['ALL'], adds: OWN_ITS_FOLDER },
      securityOpts: ['no-new-privileges'],
      wait: true,
      waitTimeout: 120,
      labels,
    },
    { parent, deleteBeforeReplace: true },
  );
}
