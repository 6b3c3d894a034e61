import { z } from 'zod';

// Strict throughout: a member that is not here is one that the emulator can't honour, and is refused by name.

export const KeyValues = z.array(z.strictObject({ name: z.string().min(1), value: z.string() }));

/** Sent by tools that write every member; only an empty one changes nothing. */
const nothing = z.array(z.unknown()).max(0, 'is not emulated unless empty').optional();
const off = z.literal(false, 'is not emulated unless false').optional();
const seconds = (least: number, most: number) => z.int().min(least).max(most);

const HealthCheck = z.strictObject({
  command: z
    .array(z.string())
    .min(2)
    .refine(([kind]) => kind === 'CMD' || kind === 'CMD-SHELL', 'must start with CMD or CMD-SHELL'),
  interval: seconds(5, 300).default(30),
  timeout: seconds(2, 60).default(5),
  retries: z.int().min(1).max(10).default(3),
  startPeriod: seconds(0, 300).optional(),
});

const Tmpfs = z.strictObject({
  containerPath: z.string().startsWith('/'),
  size: z.int().min(1),
  mountOptions: z
    .array(
      z
        .string()
        .regex(
          /^(defaults|r[ow]|(no)?(suid|dev|exec|atime|diratime|relatime|strictatime|mand)|a?sync|dirsync|(mode|uid|gid|nr_inodes|nr_blocks|mpol)=.+)$/,
          'is no mount option of a tmpfs',
        ),
    )
    .optional(),
});

const LinuxParameters = z.strictObject({
  capabilities: z
    .strictObject({
      add: z
        .array(z.literal('SYS_PTRACE', 'Tasks on Fargate may only add the capability SYS_PTRACE'))
        .optional(),
      drop: z.array(z.string()).optional(),
    })
    .optional(),
  initProcessEnabled: z.boolean().optional(),
  tmpfs: z.array(Tmpfs).optional(),
  devices: nothing,
});

const PortMapping = z
  .strictObject({
    containerPort: z.int().min(1).max(65_535),
    hostPort: z.int().optional(),
    protocol: z.enum(['tcp', 'udp']).optional(),
    name: z.string().optional(),
    appProtocol: z.string().optional(),
  })
  .refine(
    ({ hostPort = 0, containerPort }) => hostPort === 0 || hostPort === containerPort,
    'When networkMode=awsvpc, the host ports and container ports in port mappings must match.',
  );

const LogConfiguration = z.strictObject({
  logDriver: z.literal('awslogs', 'Of the log drivers, only awslogs is emulated'),
  options: z.strictObject({
    'awslogs-group': z.string().min(1),
    'awslogs-region': z.string().min(1),
    'awslogs-stream-prefix': z.string('awslogs-stream-prefix is required on Fargate').min(1),
    'awslogs-create-group': z.enum(['true', 'false']).optional(),
    mode: z.enum(['blocking', 'non-blocking']).optional(),
    'max-buffer-size': z.string().optional(),
  }),
  secretOptions: nothing,
});

export const ContainerDefinition = z.strictObject({
  name: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,255}$/, 'Container names have up to 255 letters, numbers, - and _'),
  image: z.string().min(1).max(255),
  cpu: z.int().min(0).optional(),
  memory: z.int().min(6).optional(),
  memoryReservation: z.int().min(6).optional(),
  essential: z.boolean().default(true),
  entryPoint: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  environment: KeyValues.optional(),
  secrets: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        valueFrom: z
          .string()
          .startsWith('arn:aws:secretsmanager:', 'is not emulated unless of Secrets Manager'),
      }),
    )
    .optional(),
  workingDirectory: z.string().optional(),
  user: z.string().optional(),
  readonlyRootFilesystem: z.boolean().optional(),
  privileged: z.literal(false, 'Privileged containers are not supported on Fargate.').optional(),
  linuxParameters: LinuxParameters.optional(),
  mountPoints: z
    .array(
      z.strictObject({
        sourceVolume: z.string(),
        containerPath: z.string().startsWith('/'),
        readOnly: z.boolean().optional(),
      }),
    )
    .optional(),
  portMappings: z.array(PortMapping).optional(),
  healthCheck: HealthCheck.optional(),
  dependsOn: z
    .array(
      z.strictObject({
        containerName: z.string(),
        condition: z.enum(['START', 'COMPLETE', 'SUCCESS', 'HEALTHY']),
      }),
    )
    .optional(),
  startTimeout: seconds(2, 120).optional(),
  stopTimeout: seconds(2, 120).optional(),
  ulimits: z
    .array(
      z.strictObject({
        name: z.literal('nofile', 'Tasks on Fargate may only set the ulimit nofile'),
        softLimit: z.int(),
        hardLimit: z.int(),
      }),
    )
    .optional(),
  dockerLabels: z.record(z.string(), z.string()).optional(),
  logConfiguration: LogConfiguration.optional(),
  versionConsistency: z.enum(['enabled', 'disabled']).optional(),
  disableNetworking: off,
  interactive: off,
  pseudoTerminal: off,
  dnsServers: nothing,
  dnsSearchDomains: nothing,
  dockerSecurityOptions: nothing,
  environmentFiles: nothing,
  extraHosts: nothing,
  links: nothing,
  resourceRequirements: nothing,
  systemControls: nothing,
  volumesFrom: nothing,
});
export type ContainerDefinition = z.infer<typeof ContainerDefinition>;
