import { TaskDefinition } from '@pulumi/aws/ecs/taskDefinition.js';
import { all, type Input, type Output } from '@pulumi/pulumi';
import { CONVERSATION_TMPFS, SANDBOX_UID } from '../../runtime/contracts/container-limits.ts';
import { type ContainerDefinition, hardened, tmpfs } from './container-definition.ts';
import type { EcsPlace } from './ecs-place.ts';

const PROXY_UID = 10002;
const AGENT_PORT = 9000;
const PROXY_PORT = 8080;
const PROXY_ADMIN_PORT = 8081;

interface AgentTask {
  agentImage: string;
  sidecarImage: string;
  log: { group: string; region: string };
}

/** The task of a conversation: the agent and its egress proxy. Ids, tokens and keys come with each RunTask. */
export function agentContainers({ agentImage, sidecarImage, log }: AgentTask): ContainerDefinition[] {
  const common = hardened(log);
  const writable = Object.entries(CONVERSATION_TMPFS).map(([path, bytes]) => tmpfs(path, bytes, SANDBOX_UID));
  return [
    {
      ...common,
      name: 'workspace-agent',
      image: agentImage,
      user: `${SANDBOX_UID}:${SANDBOX_UID}`,
      linuxParameters: { ...common.linuxParameters, tmpfs: writable },
      portMappings: [{ containerPort: AGENT_PORT, protocol: 'tcp' }],
      environment: [
        { name: 'AGENT_LISTEN_MODE', value: 'http' },
        { name: 'AGENT_HTTP_PORT', value: String(AGENT_PORT) },
        { name: 'AGENT_PROXY_PORT', value: String(PROXY_PORT) },
      ],
      healthCheck: {
        command: [
          'CMD-SHELL',
          `curl --fail --silent --max-time 5 http://127.0.0.1:${AGENT_PORT}/health || exit 1`,
        ],
        interval: 30,
        timeout: 10,
        retries: 3,
        startPeriod: 60,
      },
      stopTimeout: 30,
    },
    {
      ...common,
      name: 'proxy-sidecar',
      image: sidecarImage,
      user: `${PROXY_UID}:${PROXY_UID}`,
      portMappings: [
        { containerPort: PROXY_PORT, protocol: 'tcp' },
        { containerPort: PROXY_ADMIN_PORT, protocol: 'tcp' },
      ],
      environment: [
        { name: 'PROXY_LISTEN_PORT', value: String(PROXY_PORT) },
        { name: 'ADMIN_PORT', value: String(PROXY_ADMIN_PORT) },
      ],
      healthCheck: {
        command: ['CMD', 'node', '/opt/berth/health-check.mjs'],
        interval: 30,
        timeout: 5,
        retries: 3,
        startPeriod: 15,
      },
      stopTimeout: 30,
    },
  ];
}

interface Given {
  place: EcsPlace;
  agentImage: Output<string>;
  sidecarImage: Output<string>;
  logGroup: Output<string>;
  executionRoleArn: Input<string>;
  onInstances: boolean;
}

/**
 * Its definition. It has no task role: any container of a task could read its credentials. Earlier revisions stay
 * for a while (ecs-revisions.ts), so that a runtime that is being replaced never names a dead one.
 */
export function agentTask({ place, agentImage, sidecarImage, logGroup, ...given }: Given): TaskDefinition {
  const { name, parent, tags, region } = place;
  return new TaskDefinition(
    `${name}-workspace-agent`,
    {
      family: `${name}-workspace-agent`,
      networkMode: 'awsvpc',
      requiresCompatibilities: given.onInstances ? ['FARGATE', 'EC2'] : ['FARGATE'],
      cpu: '2048',
      memory: '4096',
      executionRoleArn: given.executionRoleArn,
      runtimePlatform: { cpuArchitecture: 'X86_64', operatingSystemFamily: 'LINUX' },
      containerDefinitions: all([agentImage, sidecarImage, logGroup, region]).apply(
        ([agent, sidecar, group, where]) =>
          JSON.stringify(
            agentContainers({
              agentImage: agent,
              sidecarImage: sidecar,
              log: { group, region: where },
            }),
          ),
      ),
      skipDestroy: true,
      tags,
    },
    { parent },
  );
}
