import type { RegisterTaskDefinitionCommandInput, Tmpfs } from '@aws-sdk/client-ecs';
import { CONVERSATION_TMPFS, SANDBOX_UID } from '../../../runtime/contracts/container-limits.ts';

export const AGENT_CONTAINER = 'workspace-agent';
export const SIDECAR_CONTAINER = 'proxy-sidecar';

export interface WorkspaceTaskDefinition {
  readonly agentImage: string;
  readonly sidecarImage: string;
  readonly family?: string;
  readonly region?: string;
  readonly logGroup?: string;
  /** Also for a capacity provider of EC2 instances. */
  readonly alsoOnEc2?: boolean;
  /** As Fargate takes them; 2048 CPU units and 4096 MiB unless said. */
  readonly cpu?: string;
  readonly memory?: string;
}

/**
 * The task of a conversation: the agent and its egress proxy. What differs from one container to the next (tokens,
 * keys, ids) comes as overrides of RunTask.
 */
export function workspaceTaskDefinition(
  options: WorkspaceTaskDefinition,
): RegisterTaskDefinitionCommandInput {
  const { region = 'us-east-1', logGroup = '/ecs/workspace-agent' } = options;
  const logConfiguration = {
    logDriver: 'awslogs',
    options: { 'awslogs-group': logGroup, 'awslogs-region': region, 'awslogs-stream-prefix': 'ecs' },
  } as const;
  return {
    family: options.family ?? 'workspace-agent',
    networkMode: 'awsvpc',
    requiresCompatibilities: options.alsoOnEc2 ? ['FARGATE', 'EC2'] : ['FARGATE'],
    cpu: options.cpu ?? '2048',
    memory: options.memory ?? '4096',
    executionRoleArn: 'arn:aws:iam::123456789012:role/workspace-agent-execution',
    runtimePlatform: { cpuArchitecture: 'X86_64', operatingSystemFamily: 'LINUX' },
    containerDefinitions: [
      {
        name: AGENT_CONTAINER,
        image: options.agentImage,
        essential: true,
        user: `${SANDBOX_UID}:${SANDBOX_UID}`,
        readonlyRootFilesystem: true,
        linuxParameters: { capabilities: { drop: ['ALL'] }, initProcessEnabled: true, tmpfs: agentTmpfs() },
        portMappings: [{ containerPort: 9000, protocol: 'tcp' }],
        environment: [
          { name: 'AGENT_LISTEN_MODE', value: 'http' },
          { name: 'AGENT_HTTP_PORT', value: '9000' },
          { name: 'AGENT_PROXY_PORT', value: '8080' },
        ],
        healthCheck: {
          command: ['CMD-SHELL', 'curl --fail --silent --max-time 5 http://127.0.0.1:9000/health || exit 1'],
          interval: 30,
          timeout: 10,
          retries: 3,
          startPeriod: 60,
        },
        stopTimeout: 30,
        logConfiguration,
      },
      {
        name: SIDECAR_CONTAINER,
        image: options.sidecarImage,
        essential: true,
        user: '10002:10002',
        readonlyRootFilesystem: true,
        linuxParameters: { capabilities: { drop: ['ALL'] }, initProcessEnabled: true },
        portMappings: [
          { containerPort: 8080, protocol: 'tcp' },
          { containerPort: 8081, protocol: 'tcp' },
        ],
        environment: [
          { name: 'PROXY_LISTEN_PORT', value: '8080' },
          { name: 'ADMIN_PORT', value: '8081' },
        ],
        healthCheck: {
          command: ['CMD', 'node', '/opt/berth/health-check.mjs'],
          interval: 30,
          timeout: 5,
          retries: 3,
          startPeriod: 15,
        },
        stopTimeout: 30,
        logConfiguration,
      },
    ],
  };
}

/** The places that a conversation may write to, as on Docker. */
function agentTmpfs(): Tmpfs[] {
  return Object.entries(CONVERSATION_TMPFS).map(([containerPath, bytes]) => ({
    containerPath,
    size: bytes / 1024 / 1024,
    mountOptions: [
      'rw',
      'nosuid',
      'nodev',
      'exec',
      `uid=${SANDBOX_UID}`,
      `gid=${SANDBOX_UID}`,
      `mode=${/\btmp$/.test(containerPath) ? '1777' : '0755'}`,
    ],
  }));
}
