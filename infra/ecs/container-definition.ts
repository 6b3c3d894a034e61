/** What we say of a container in a task definition, as ECS spells it. */
export interface ContainerDefinition {
  name: string;
  image: string;
  essential: boolean;
  user: string;
  command?: string[];
  readonlyRootFilesystem: boolean;
  linuxParameters: {
    capabilities: { drop: string[] };
    initProcessEnabled: boolean;
    tmpfs?: Tmpfs[];
  };
  portMappings: { containerPort: number; protocol: 'tcp' }[];
  environment: { name: string; value: string }[];
  secrets?: { name: string; valueFrom: string }[];
  healthCheck: {
    command: string[];
    interval: number;
    timeout: number;
    retries: number;
    startPeriod: number;
  };
  stopTimeout: number;
  logConfiguration: { logDriver: 'awslogs'; options: Record<string, string> };
}

interface Tmpfs {
  containerPath: string;
  size: number;
  mountOptions: string[];
}

type Hardened = Pick<
  ContainerDefinition,
  'essential' | 'readonlyRootFilesystem' | 'linuxParameters' | 'logConfiguration'
>;

/** What no container of ours goes without: a read-only root, no capabilities, an init, and a log. */
export function hardened(log: { group: string; region: string }): Hardened {
  return {
    essential: true,
    readonlyRootFilesystem: true,
    linuxParameters: { capabilities: { drop: ['ALL'] }, initProcessEnabled: true },
    logConfiguration: {
      logDriver: 'awslogs',
      options: {
        'awslogs-group': log.group,
        'awslogs-region': log.region,
        'awslogs-stream-prefix': 'ecs',
      },
    },
  };
}

/** A place in memory that a user may write to. */
export function tmpfs(containerPath: string, bytes: number, uid: number): Tmpfs {
  return {
    containerPath,
    size: bytes / 1024 / 1024,
    mountOptions: [
      'rw',
      'nosuid',
      'nodev',
      'exec',
      `uid=${uid}`,
      `gid=${uid}`,
      `mode=${/\btmp$/.test(containerPath) ? '1777' : '0755'}`,
    ],
  };
}
